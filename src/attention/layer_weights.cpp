// SPDX-License-Identifier: BSD-3-Clause
#include "attention/layer_weights.h"

#include <algorithm>
#include <string>

#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

const Tensor* find(const Model& model, const std::string& name) {
  const auto found = model.tensors().find(name);
  return found == model.tensors().end() ? nullptr : &found->second;
}

NormWeights norm_weights(const Model& model, const std::string& name) {
  return {find(model, name + ".weight"), find(model, name + ".bias")};
}

void add_projections(const Model& model, std::size_t layer, LayerWeights& weights) {
  std::vector<std::string> names;
  const auto index_of = [&](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    weights.projections.push_back(linear_weights(model, name));
    return names.size() - 1;
  };
  for (std::size_t head = 0; head < model.config().heads; ++head) {
    const ProjectionNames of_head = projection_names(model.config(), layer, head);
    weights.key_projection.push_back(index_of(of_head.key));
    weights.value_projection.push_back(index_of(of_head.value));
  }
}

}  // namespace

LinearWeights linear_weights(const Model& model, const std::string& name) {
  return {find(model, name + ".weight"), find(model, name + ".bias")};
}

std::vector<double> anchor_sigmas(const ModelConfig& config, const LayerWeights& weights) {
  if (weights.anchor_sigma != nullptr)
    return {weights.anchor_sigma->values.begin(), weights.anchor_sigma->values.end()};
  const std::vector<double>& given = config.anchor_sigmas;
  return given.size() == 1 ? std::vector<double>(config.heads, given[0]) : given;
}

LayerWeights layer_weights(const Model& model, std::size_t layer) {
  LayerWeights weights;
  const std::string attention = attention_name(layer), feed_forward = feed_forward_name(layer);
  weights.query = linear_weights(model, attention + ".query");
  weights.key = linear_weights(model, attention + ".key");
  weights.value = linear_weights(model, attention + ".value");
  weights.slots = find(model, attention + ".slots.weight");
  weights.anchor_sigma = find(model, attention + ".anchor_sigma");
  weights.features = find(model, attention + ".features.weight");
  weights.query_norm = norm_weights(model, attention + ".query_norm");
  weights.key_norm = norm_weights(model, attention + ".key_norm");
  const bool two = model.config().output_intermediate != 0;
  weights.output = linear_weights(model, attention + (two ? ".output.0" : ".output"));
  weights.output_second = linear_weights(model, attention + ".output.1");
  weights.attention_norm = norm_weights(model, attention + ".norm");
  weights.feed_forward_in = linear_weights(model, feed_forward + ".0");
  weights.feed_forward_out = linear_weights(model, feed_forward + ".1");
  weights.resample = linear_weights(model, feed_forward + ".resample");
  weights.feed_forward_norm = norm_weights(model, feed_forward + ".norm");
  if (stores_projection(model.config())) add_projections(model, layer, weights);
  return weights;
}

}  // namespace pcl_attention
