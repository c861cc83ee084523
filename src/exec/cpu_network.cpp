// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu_network.h"

#include <algorithm>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;

/// Returns the index of a stored projection, which is added if it is new.
template <class Stored>
std::size_t index_of(const LinearWeights& weights, std::vector<Stored>& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].tensor() == weights.weight) return i;
  all.emplace_back(weights);
  return all.size() - 1;
}

template <class Stored>
void find_projections(const LayerWeights& weights, PackedLayer& layer, std::vector<Stored>& all) {
  for (std::size_t e : weights.key_projection)
    layer.key_projection.push_back(index_of(weights.projections[e], all));
  for (std::size_t f : weights.value_projection)
    layer.value_projection.push_back(index_of(weights.projections[f], all));
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
  const bool resamples = std::any_of(network.layers.begin(), network.layers.end(),
                                     [](const PackedLayer& layer) { return layer.resample.exists(); });
  const bool norms = config.norm == NormPlacement::pre || !network.convolutions.empty();
  TileScratch scratch;
  scratch.answer = {tile(norms ? std::max(network.width, inner) : 0),
                    tile(inner),
                    tile(inner),
                    tile(network.width),
                    tile(std::max(config.feed_forward, config.output_intermediate)),
                    tile(resamples ? network.width : 0),
                    parts.take(simd::attend_scratch_size())};
  scratch.x = tile(network.width);
  scratch.head = tile(config.head_output);
  scratch.values = tile(config.input.num_channels());
  scratch.limits = parts.take(kTilePoints);
  scratch.keys = scratch.y = tile(std::max(network.width, inner));
  scratch.key_values = tile(inner);
  if (config.mechanism == Mechanism::linformer) {
    scratch.panels = tile(padded_slots(network.summed_rows(0)));
    if (config.projection.kind == Projection::position)
      scratch.grid = parts.take(GridProjection::scratch_size(config.projection));
    if (config.projection.kind == Projection::smooth)
      scratch.angles = parts.take(CosineBasis::scratch_size(config.projection.cosines));
  }
  return scratch;
}

}  // namespace

CpuNetwork::CpuNetwork(const Model& model)
    : config(model.config()), embedding(model), head(linear_weights(model, "head")) {
  layers.reserve(config.depth);
  for (std::size_t layer = 0; layer < config.depth; ++layer) {
    layers.emplace_back(model, layer);
    const LayerWeights weights = layer_weights(model, layer);
    if (config.projection.kind == Projection::convolution)
      find_projections(weights, layers.back(), convolutions);
    else
      find_projections(weights, layers.back(), projections);
  }
  width = std::max(config.channels, config.inner_channels);
}

std::size_t CpuNetwork::summed_rows(std::size_t layer) const {
  return config.projection.kind == Projection::smooth ? config.projection.cosines : layers[layer].slots;
}

std::size_t CpuNetwork::sums_size(std::size_t layer) const {
  const std::size_t slots = padded_slots(summed_rows(layer)), width_in = layers[layer].width_in;
  if (projections.empty()) return (width_in + 1) * slots;  // and Σ e
  if (config.projection.kind == Projection::smooth) return width_in * slots;
  const Sharing sharing = config.projection.sharing;
  if (sharing == Sharing::none) return 2 * config.heads * config.head_width * slots;
  return (sharing == Sharing::headwise ? 2 : 1) * width_in * slots;
}

std::size_t CpuWorkspace::size(const CpuNetwork& network, std::size_t n, std::size_t lent) {
  const ModelConfig& config = network.config;
  const bool full = config.mechanism == Mechanism::full;
  const std::size_t inner = config.heads * config.head_width, num_tiles = (n + kTilePoints - 1) / kTilePoints;
  const std::size_t threads = arena_threads(), slots = full ? n : config.projected_rows(0, n);
  const std::size_t points = network.convolutions.empty() ? 0 : num_tiles * kTilePoints * inner;
  Parts scratch;
  divide(network, scratch);
  std::size_t size = std::max(lent, Buffer<float>::size(num_tiles * kTilePoints * network.width));
  size += 2 * (Buffer<float>::size(slots * inner) + Buffer<float>::size(points));
  size += threads * Buffer<float>::size(scratch.used);
  if (!full && config.projection.kind == Projection::smooth)
    size += CosineBasis::size(config.projection.cosines) +
            Buffer<double>::size(2 * inner * padded_slots(network.layers[0].slots));
  std::size_t sums = 0;
  for (std::size_t layer = 0; !full && points == 0 && layer < config.depth; ++layer)
    sums = std::max(sums, network.sums_size(layer));
  return size + ChunkSums::size((num_tiles + kChunkTiles - 1) / kChunkTiles, sums, threads);
}

void CpuWorkspace::prepare(const CpuNetwork& network) {
  num_threads = arena_threads();
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

const TileScratch& CpuWorkspace::scratch() const { return scratch_[this_thread()]; }

}  // namespace pcl_attention
