// SPDX-License-Identifier: BSD-3-Clause
#include "weights/tensor_names.h"

#include <algorithm>

namespace pcl_attention {

std::string attention_name(std::size_t layer) { return "layers." + std::to_string(layer) + ".attention"; }

std::string feed_forward_name(std::size_t layer) {
  return "layers." + std::to_string(layer) + ".feed_forward";
}

bool stores_rows(const ModelConfig& config) {
  return config.mechanism == Mechanism::linformer &&
         (config.projection.kind == Projection::learned || config.projection.kind == Projection::fixed);
}

bool stores_cosines(const ModelConfig& config) {
  return config.mechanism == Mechanism::linformer && config.projection.kind == Projection::smooth;
}

bool stores_projection(const ModelConfig& config) {
  return stores_rows(config) || stores_cosines(config) ||
         (config.mechanism == Mechanism::linformer && config.projection.kind == Projection::convolution);
}

ProjectionNames projection_names(const ModelConfig& config, std::size_t layer, std::size_t head) {
  const std::string own = attention_name(layer) + ".projection";
  switch (config.projection.sharing) {
    case Sharing::layerwise:
      return {"projection", "projection"};
    case Sharing::kv:
      return {own, own};
    case Sharing::headwise:
      return {own + ".E", own + ".F"};
    case Sharing::none:
      break;
  }
  const std::string of_head = own + "." + std::to_string(head);
  return {of_head + ".E", of_head + ".F"};
}

std::vector<std::string> new_projections(const ModelConfig& config, std::size_t layer) {
  std::vector<std::string> result;
  if (config.projection.sharing == Sharing::layerwise && layer > 0) return result;
  for (std::size_t head = 0; head < config.heads; ++head) {
    const ProjectionNames names = projection_names(config, layer, head);
    for (const std::string& name : {names.key, names.value})
      if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  }
  return result;
}

std::size_t num_projections(const ModelConfig& config) {
  std::size_t sum = 0;
  for (std::size_t layer = 0; layer < config.depth && stores_projection(config); ++layer)
    sum += new_projections(config, layer).size();
  return sum;
}

}  // namespace pcl_attention
