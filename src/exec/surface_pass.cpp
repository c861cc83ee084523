// SPDX-License-Identifier: BSD-3-Clause
#include "exec/surface_pass.h"

#include <algorithm>

namespace pcl_attention {
namespace {

using simd::kTilePoints;

constexpr double kLeastColumnSum = 1e-6;  // of `position`: below it no point reaches the anchor

/// A row of ones: its product with E is Σ e.
struct Ones {
  alignas(64) float row[kTilePoints];
  Ones() { std::fill_n(row, kTilePoints, 1.0F); }
};
const Ones ones;

}  // namespace

SurfacePass::SurfacePass(CpuNetwork& network, CpuWorkspace& workspace, const Frame& frame)
    : network_(network), workspace_(workspace), frame_(frame) {
  layout_ = {frame.surface.n, frame.num_ranked, num_padded(network.config, frame), frame.keep};
  workspace.surface.reserve(layout_.num_tiles() * kTilePoints * network.width);
  if (is_full()) {
    std::vector<std::size_t>& first = workspace.first_slot;
    first.assign(layout_.num_tiles() + 1, 0);
    for (std::size_t tile = 0; tile < layout_.num_tiles(); ++tile) {
      const TileRange range(tile, layout_.total());
      first[tile + 1] = first[tile];
      for (std::size_t p = 0; p < range.count; ++p)
        first[tile + 1] += layout_.takes_part(range.first + p) ? 1 : 0;
    }
    start_keys(first.back());
  } else if (is_position()) {
    grid_.prepare(network.config.projection, frame);
  }
}

void SurfacePass::start_keys(std::size_t slots) {
  summary_.heads = network_.config.heads;
  summary_.head_width = network_.config.head_width;
  summary_.capacity = (slots + simd::kKeyBlock - 1) / simd::kKeyBlock * simd::kKeyBlock;
  summary_.count = slots;
  summary_.keys = workspace_.keys.reserve(summary_.heads * summary_.key_size());
  summary_.values = workspace_.values.reserve(summary_.heads * summary_.value_size());
}

void SurfacePass::embed(std::size_t tile, const TileScratch& scratch, float* x) const {
  const TileRange range(tile, layout_.total());
  TileRange tokens = range;
  tokens.count = layout_.n > range.first ? std::min(range.count, layout_.n - range.first) : 0;
  if (tokens.count != 0)
    network_.embedding.embed(frame_.surface, frame_, tokens, layout_.num_ranked, scratch.values,
                             scratch.positions, x);
  for (std::size_t c = 0; tokens.count < kTilePoints && c < network_.config.channels; ++c)
    std::fill(x + c * kTilePoints + tokens.count, x + (c + 1) * kTilePoints, 0.0F);
}

std::size_t SurfacePass::sums_size(std::size_t layer) const {
  const PackedLayer& packed = network_.layers[layer];
  const std::size_t slots = padded_slots(packed.slots);
  if (is_direct()) return 2 * inner() * slots;
  const bool two = stored() && network_.config.projection.sharing == Sharing::headwise;
  return ((two ? 2 : 1) * packed.width_in + 1) * slots;  // and Σ e
}

void SurfacePass::add(std::size_t layer, std::size_t tile, const TileScratch& scratch, const float* x,
                      double* sums) const {
  const PackedLayer& packed = network_.layers[layer];
  const TileRange range(tile, layout_.total());
  const float* seen = attention_input(network_.config, packed, x, scratch.answer.normed);
  if (is_full()) return add_keys(packed, tile, scratch, seen);
  if (is_segment()) return add_segments(packed, range, seen, sums);
  if (is_position()) return add_grid(packed, range, scratch, seen, sums);
  if (is_direct()) return add_direct(packed, range, scratch, seen, sums);
  add_stored(packed, range, scratch, seen, sums);
}

void SurfacePass::add_keys(const PackedLayer& layer, std::size_t tile, const TileScratch& scratch,
                           const float* seen) const {
  const TileRange range(tile, layout_.total());
  std::uint8_t columns[kTilePoints];
  std::size_t count = 0;
  for (std::size_t p = 0; p < range.count; ++p)
    if (layout_.takes_part(range.first + p)) columns[count++] = static_cast<std::uint8_t>(p);
  simd::linear(layer.key.map(), seen, simd::Finish::none, nullptr, scratch.keys);
  simd::linear(layer.value.map(), seen, simd::Finish::none, nullptr, scratch.key_values);
  simd::store_keys(scratch.keys, scratch.key_values, columns, workspace_.first_slot[tile], count, summary_);
}

void SurfacePass::add_segments(const PackedLayer& layer, TileRange range, const float* seen,
                               double* sums) const {
  const std::size_t slots = padded_slots(layer.slots), used = std::min(layer.slots, layout_.num_ranks());
  double* mass = sums + layer.width_in * slots;
  for (std::size_t p = 0; p < range.count; ++p) {
    if (!layout_.takes_part(range.first + p)) continue;
    const std::size_t slot = ((layout_.rank(range.first + p) + 1) * used - 1) / layout_.num_ranks();
    mass[slot] += 1.0;
    for (std::size_t c = 0; c < layer.width_in; ++c)
      sums[c * slots + slot] += static_cast<double>(seen[c * kTilePoints + p]);
  }
}

void SurfacePass::add_grid(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                           const float* seen, double* sums) const {
  const std::size_t slots = padded_slots(layer.slots);
  TileEmbedding::place(frame_.surface, frame_.placement, range, scratch.positions);
  grid_.panels(layout_, range, scratch.positions, scratch.grid, scratch.panels);
  simd::accumulate(seen, layer.width_in, range.count, scratch.panels, slots, sums);
  simd::accumulate(ones.row, 1, range.count, scratch.panels, slots, sums + layer.width_in * slots);
}

void SurfacePass::add_stored(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                             const float* seen, double* sums) const {
  const std::size_t slots = padded_slots(layer.slots);
  const std::size_t e = layer.key_projection[0], f = layer.value_projection[0];
  for (std::size_t projection : {e, f}) {
    simd::accumulate(seen, layer.width_in, range.count, panels(projection, range, scratch), slots, sums);
    if (e == f) break;
    sums += layer.width_in * slots;
  }
}

const float* SurfacePass::panels(std::size_t projection, TileRange range, const TileScratch& scratch) const {
  return network_.projections[projection].panels(layout_, frame_.length_policy, range, scratch.panels);
}

void SurfacePass::add_direct(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                             const float* seen, double* sums) const {
  const std::size_t slots = padded_slots(layer.slots), width = network_.config.head_width;
  simd::linear(layer.key.map(), seen, simd::Finish::none, nullptr, scratch.keys);
  simd::linear(layer.value.map(), seen, simd::Finish::none, nullptr, scratch.key_values);
  for (std::size_t head = 0; head < network_.config.heads; ++head) {
    const std::size_t row = head * width;
    simd::accumulate(scratch.keys + row * kTilePoints, width, range.count,
                     panels(layer.key_projection[head], range, scratch), slots, sums + row * slots);
    simd::accumulate(scratch.key_values + row * kTilePoints, width, range.count,
                     panels(layer.value_projection[head], range, scratch), slots,
                     sums + (inner() + row) * slots);
  }
}

std::vector<std::size_t> SurfacePass::used_slots(const PackedLayer& layer) {
  std::vector<std::size_t> slots;
  const double* mass = sums_ + layer.width_in * padded_slots(layer.slots);
  for (std::size_t j = 0; j < layer.slots; ++j)
    if (stored() || mass[j] >= kLeastColumnSum) slots.push_back(j);
  if (is_position()) masked_slots_ += layer.slots - slots.size();
  return slots;
}

simd::KeyValues SurfacePass::finish(std::size_t index) {
  if (is_full()) return summary_;
  const PackedLayer& layer = network_.layers[index];
  const std::vector<std::size_t> slots = used_slots(layer);
  start_keys(slots.size());
  const TileScratch& scratch = workspace_.scratch();
  for (std::size_t first = 0; first < slots.size(); first += kTilePoints) {
    const std::size_t count = std::min(kTilePoints, slots.size() - first);
    project(layer, slots, first, count, scratch);
    add_bias(layer, slots, first, count, scratch);
    simd::store_keys(scratch.keys, scratch.key_values, nullptr, first, count, summary_);
  }
  return summary_;
}

/// Writes sums [channels × slots] of some slots as a tile, divided by Σ e where the projection is normalised.
void SurfacePass::load_sums(const double* sums, std::size_t channels, const PackedLayer& layer,
                            const std::vector<std::size_t>& slots, std::size_t first, std::size_t count,
                            float* x) const {
  const std::size_t stride = padded_slots(layer.slots);
  const double* mass = sums_ + layer.width_in * stride;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t i = 0; i < kTilePoints; ++i) {
      const std::size_t slot = slots[std::min(first + i, first + count - 1)];
      const double sum = sums[c * stride + slot];
      x[c * kTilePoints + i] = static_cast<float>(stored() ? sum : sum / mass[slot]);
    }
}

/// Writes the keys and values of some slots as tiles.
void SurfacePass::project(const PackedLayer& layer, const std::vector<std::size_t>& slots, std::size_t first,
                          std::size_t count, const TileScratch& scratch) const {
  const std::size_t stride = padded_slots(layer.slots);
  if (is_direct()) {
    load_sums(sums_, inner(), layer, slots, first, count, scratch.keys);
    load_sums(sums_ + inner() * stride, inner(), layer, slots, first, count, scratch.key_values);
    return;
  }
  load_sums(sums_, layer.width_in, layer, slots, first, count, scratch.x);
  simd::linear(layer.key.map(), scratch.x, simd::Finish::none, nullptr, scratch.keys);
  if (stored() && layer.key_projection[0] != layer.value_projection[0])
    load_sums(sums_ + layer.width_in * stride, layer.width_in, layer, slots, first, count, scratch.x);
  simd::linear(layer.value.map(), scratch.x, simd::Finish::none, nullptr, scratch.key_values);
}

void SurfacePass::add_bias(const PackedLayer& layer, const std::vector<std::size_t>& slots, std::size_t first,
                           std::size_t count, const TileScratch& scratch) const {
  if (!stored()) return;
  const auto add = [&](const Tensor* bias, std::size_t head, float* tile) {
    if (bias == nullptr) return;
    const std::size_t width = network_.config.head_width;
    for (std::size_t c = head * width; c < (head + 1) * width; ++c)
      for (std::size_t i = 0; i < count; ++i) tile[c * kTilePoints + i] += bias->values[slots[first + i]];
  };
  for (std::size_t head = 0; head < network_.config.heads; ++head) {
    add(network_.projections[layer.key_projection[head]].bias(), head, scratch.keys);
    add(network_.projections[layer.value_projection[head]].bias(), head, scratch.key_values);
  }
}

}  // namespace pcl_attention
