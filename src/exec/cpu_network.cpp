// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu_network.h"

#include <algorithm>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;

/// Returns the index of a stored projection, which is added if it is new.
std::size_t index_of(const LinearWeights& weights, std::vector<StoredProjection>& projections) {
  for (std::size_t i = 0; i < projections.size(); ++i)
    if (projections[i].tensor() == weights.weight) return i;
  projections.emplace_back(weights);
  return projections.size() - 1;
}

void find_projections(const Model& model, std::size_t index, CpuNetwork& network) {
  const LayerWeights weights = layer_weights(model, index);
  PackedLayer& layer = network.layers[index];
  for (std::size_t e : weights.key_projection)
    layer.key_projection.push_back(index_of(weights.projections[e], network.projections));
  for (std::size_t f : weights.value_projection)
    layer.value_projection.push_back(index_of(weights.projections[f], network.projections));
}

/// Hands out parts of one piece of memory; a first walk without memory counts.
struct Parts {
  float* memory = nullptr;
  std::size_t used = 0;

  float* take(std::size_t count) {
    const std::size_t at = used;
    used += (count + 15) / 16 * 16;
    return memory == nullptr ? nullptr : memory + at;
  }
};

TileScratch divide(const CpuNetwork& network, Parts& parts) {
  const ModelConfig& config = network.config;
  const auto tile = [&](std::size_t rows) { return parts.take(rows * kTilePoints); };
  const std::size_t inner = config.heads * config.head_width;
  TileScratch scratch;
  scratch.answer = {tile(network.width),
                    tile(inner),
                    tile(inner),
                    tile(network.width),
                    tile(std::max(config.feed_forward, config.output_intermediate)),
                    tile(network.width),
                    parts.take(simd::attend_scratch_size())};
  scratch.x = tile(network.width);
  scratch.y = tile(network.width);
  scratch.head = tile(config.head_output);
  scratch.values = tile(config.input.num_channels());
  scratch.keys = tile(inner);
  scratch.key_values = tile(inner);
  if (config.mechanism == Mechanism::linformer) {
    scratch.panels = tile(padded_slots(config.projected_rows(0)));
    if (config.projection.kind == Projection::position)
      scratch.grid = parts.take(GridProjection::scratch_size(config.projection));
  }
  return scratch;
}

}  // namespace

CpuNetwork::CpuNetwork(const Model& model)
    : config(model.config()), embedding(model), head(linear_weights(model, "head")) {
  layers.reserve(config.depth);
  for (std::size_t layer = 0; layer < config.depth; ++layer) {
    layers.emplace_back(model, layer);
    find_projections(model, layer, *this);
  }
  width = std::max(config.channels, config.inner_channels);
}

void CpuWorkspace::prepare(const CpuNetwork& network) {
  num_threads = static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency());
  while (scratch_.size() < num_threads) {
    Parts count;
    divide(network, count);
    memory_.emplace_back();
    positions_.emplace_back();
    Parts parts{memory_.back().reserve(count.used), 0};
    scratch_.push_back(divide(network, parts));
    scratch_.back().positions = positions_.back().reserve(3 * kTilePoints);
  }
}

const TileScratch& CpuWorkspace::scratch() const {
  return scratch_[static_cast<std::size_t>(oneapi::tbb::this_task_arena::current_thread_index())];
}

}  // namespace pcl_attention
