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

Summarising summarising_of(const ModelConfig& config) {
  const ProjectionConfig& projection = config.projection;
  if (config.mechanism == Mechanism::full) return Summarising::points;
  if (config.mechanism == Mechanism::kernel && config.kernel.similarity != Similarity::favor)
    return Summarising::features;
  if (config.mechanism != Mechanism::linformer) return Summarising::slots;
  if (projection.kind == Projection::convolution) return Summarising::convolve;
  if (projection.kind == Projection::segment_mean) return Summarising::segments;
  if (projection.kind == Projection::position)
    return projection.has_learned_scores() ? Summarising::scored : Summarising::grid;
  if (projection.kind == Projection::smooth) return Summarising::cosines;
  return projection.sharing == Sharing::none ? Summarising::direct : Summarising::stored;
}

/// Takes what only one way of summarising needs.
void divide_summary(const CpuNetwork& network, Parts& parts, TileScratch& scratch) {
  const ModelConfig& config = network.config;
  const Summarising way = network.summarising;
  if (way == Summarising::points || way == Summarising::convolve) return;
  const std::size_t slots = padded_slots(network.summed_rows(0));
  scratch.panels = parts.take(slots * kTilePoints);
  if (way == Summarising::grid) scratch.grid = parts.take(GridProjection::scratch_size(config.projection));
  if (way == Summarising::scored)
    scratch.grid =
        parts.take(AnchorProjection::scratch_size(config.projected_rows(0), config.projection.mlp_width));
  if (way == Summarising::cosines)
    scratch.angles = parts.take(CosineBasis::scratch_size(config.projection.cosines));
  if (way == Summarising::features)
    scratch.features = parts.take(simd::panel_scratch_size(network.layers[0].features.map));
  if (way != Summarising::slots) return;
  scratch.largest = parts.take(slots);
  scratch.offsets = parts.take(kTilePoints);
  scratch.places = parts.take(3 * kTilePoints);
}

GroupScratch divide_group(const CpuNetwork& network, Parts& parts) {
  const auto tiles = [&](std::size_t rows) { return parts.take(kGroupTiles * rows * kTilePoints); };
  const std::size_t heads = network.config.heads;
  const simd::KeyValues piece = network.piece_shape();
  return {tiles(network.key_width()),
          tiles(network.value_width()),
          tiles(heads),
          tiles(heads),
          tiles(1),
          parts.take(heads * piece.key_size()),
          parts.take(heads * piece.value_size())};
}

TileScratch divide(const CpuNetwork& network, Parts& parts) {
  const ModelConfig& config = network.config;
  const auto tile = [&](std::size_t rows) { return parts.take(rows * kTilePoints); };
  const std::size_t keys = network.key_width(), values = network.value_width();
  const std::size_t inner = std::max(keys, values);
  const bool resamples = std::any_of(network.layers.begin(), network.layers.end(),
                                     [](const PackedLayer& layer) { return layer.resample.exists(); });
  const bool norms = config.norm == NormPlacement::pre || !network.convolutions.empty();
  TileScratch scratch;
  scratch.answer = {tile(norms ? std::max(network.width, inner) : 0),
                    tile(keys),
                    tile(values),
                    tile(network.width),
                    tile(std::max(config.feed_forward, config.output_intermediate)),
                    tile(resamples ? network.width : 0),
                    parts.take(std::max(simd::attend_scratch_size(),
                                        simd::answer_scratch_size(network.layers[0].features.map)))};
  scratch.x = tile(network.width);
  scratch.head = tile(config.head_output);
  scratch.values = tile(config.input.num_channels());
  scratch.limits = parts.take(kTilePoints);
  scratch.keys = scratch.y = tile(std::max(network.width, inner));
  scratch.key_values = tile(inner);
  divide_summary(network, parts, scratch);
  if (network.is_full()) scratch.group = divide_group(network, parts);
  return scratch;
}

}  // namespace

CpuNetwork::CpuNetwork(const Model& model)
    : config(model.config()),
      summarising(summarising_of(config)),
      embedding(model),
      position(model),
      head(linear_weights(model, "head")) {
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
  return summarising == Summarising::cosines ? config.projection.cosines : layers[layer].slots;
}

simd::KeyValues CpuNetwork::piece_shape() const {
  simd::KeyValues shape;
  shape.heads = config.heads;
  shape.head_width = config.head_width;
  shape.value_width = config.value_width();
  shape.capacity = kPieceTiles * kTilePoints;
  return shape;
}

std::size_t CpuNetwork::sums_size(std::size_t layer) const {
  const std::size_t slots = padded_slots(summed_rows(layer)), width_in = layers[layer].width_in;
  switch (summarising) {
    case Summarising::points:
    case Summarising::convolve:
      return 0;
    case Summarising::segments:
    case Summarising::grid:
    case Summarising::scored:
      return (width_in + 1) * slots;  // and Σ e
    case Summarising::stored:
      return (config.projection.sharing == Sharing::headwise ? 2 : 1) * width_in * slots;
    case Summarising::direct:
      return 2 * key_width() * slots;
    case Summarising::cosines:
      return width_in * slots;
    case Summarising::slots:
      return slot_sums(layer).size();
    case Summarising::features:
      break;
  }
  return config.heads * (config.value_width() + 1) * slots;  // S and z
}

SlotSums CpuNetwork::slot_sums(std::size_t layer) const {
  const std::size_t keys = is_favor() ? 0 : config.head_width;
  return {config.heads, keys + config.value_width(), padded_slots(layers[layer].slots)};
}

std::size_t CpuWorkspace::size(const CpuNetwork& network, std::size_t n, std::size_t lent) {
  const ModelConfig& config = network.config;
  const std::size_t inner = std::max(network.key_width(), network.value_width()),
                    num_tiles = (n + kTilePoints - 1) / kTilePoints;
  const std::size_t threads = arena_threads(), slots = config.projected_rows(0, n);
  const std::size_t points = network.convolutions.empty() ? 0 : num_tiles * kTilePoints * inner;
  Parts scratch;
  divide(network, scratch);
  const std::size_t tiles = Buffer<float>::size(num_tiles * kTilePoints * network.width);
  std::size_t size = std::max(lent, tiles);
  if (network.is_full())
    size += config.depth > 1 ? tiles : 0;
  else
    size += 2 * (Buffer<float>::size(slots * inner) + Buffer<float>::size(points));
  size += threads * Buffer<float>::size(scratch.used);
  if (network.summarising == Summarising::cosines)
    size += CosineBasis::size(config.projection.cosines) +
            Buffer<double>::size(2 * inner * padded_slots(network.layers[0].slots));
  std::size_t sums = 0;
  for (std::size_t layer = 0; layer < config.depth; ++layer) sums = std::max(sums, network.sums_size(layer));
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
