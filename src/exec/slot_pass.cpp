// SPDX-License-Identifier: BSD-3-Clause
// Softmax over points for `inducing`, `anchored` and the features of `favor`.
#include <algorithm>
#include <cmath>

#include "exec/surface_pass.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;

}  // namespace

const float* SurfacePass::places(TileRange range, const TileScratch& scratch) const {
  TileEmbedding::place(*layout_.tokens, frame_.placement, range, scratch.positions);
  std::transform(scratch.positions, scratch.positions + 3 * kTilePoints, scratch.places,
                 [](double x) { return static_cast<float>(x); });
  return scratch.places;
}

/// Takes every ⌊n/k⌋-th of the n points that take part, by rank.
void SurfacePass::choose_anchors() {
  const std::size_t k = network_.config.slots, padded = padded_slots(k);
  std::size_t n = 0;
  for (std::size_t i = 0; i < layout_.num_ranked; ++i) n += layout_.takes_part(i) ? 1 : 0;
  const std::size_t stride = std::max<std::size_t>(1, n / k);
  memory_.num_anchors = std::min(k, n);
  float* anchors = memory_.anchors.reserve(3 * padded);
  std::fill_n(anchors, 3 * padded, 0.0F);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < layout_.num_ranked; ++i) {
    if (!layout_.takes_part(i)) continue;
    const std::size_t j = seen / stride;
    if (seen++ % stride != 0 || j >= memory_.num_anchors) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto raw = static_cast<double>(layout_.tokens->position(i)[axis]);
      anchors[axis * padded + j] = static_cast<float>(frame_.placement.place(raw, axis));
    }
  }
}

/// Returns which points of a tile are summarised, or null if all are.
const std::uint8_t* SurfacePass::taking_part(TileRange range, std::uint8_t* flags) const {
  if (layout_.all_take_part(range)) return nullptr;
  for (std::size_t p = 0; p < range.count; ++p) flags[p] = layout_.takes_part(range.first + p) ? 1 : 0;
  return flags;
}

void SurfacePass::add_slots(std::size_t index, TileRange range, const TileScratch& scratch, const float* seen,
                            double* sums) const {
  const PackedLayer& layer = network_.layers[index];
  const SlotSums lie = network_.slot_sums(index);
  const bool favor = network_.is_favor(), anchored = memory_.num_anchors != 0;
  const std::size_t width = network_.config.head_width, value_width = network_.config.value_width();
  std::uint8_t flags[kTilePoints];
  const std::uint8_t* part = taking_part(range, flags);
  keys_of_tile(layer, seen, scratch.keys);
  simd::linear(layer.value.map(), seen, simd::Finish::none, nullptr, scratch.key_values);
  const float* positions = anchored ? places(range, scratch) : nullptr;
  for (std::size_t head = 0; head < network_.config.heads; ++head, sums += lie.head_size()) {
    const float* keys = scratch.keys + head * width * kTilePoints;
    simd::SlotQueries slots = layer.learned.of_head(head);
    if (favor) {  // −‖k‖² / 2√D
      const double factor = -0.5 * 1.4426950408889634 / std::sqrt(static_cast<double>(width));
      simd::scaled_squares(keys, width, static_cast<float>(factor), scratch.offsets);
      slots.offsets = scratch.offsets;
    }
    if (anchored) {
      slots.anchors = memory_.anchors.data();
      slots.positions = positions;
    }
    std::transform(sums + lie.largest(), sums + lie.head_size(), scratch.largest,
                   [](double x) { return static_cast<float>(x); });
    simd::weigh_slots(slots, keys, range.count, part, scratch.largest, scratch.panels);
    lie.raise(scratch.largest, sums);
    if (!favor) simd::accumulate(keys, width, range.count, scratch.panels, lie.padded, sums);
    simd::accumulate(scratch.key_values + head * value_width * kTilePoints, value_width, range.count,
                     scratch.panels, lie.padded, sums + (favor ? 0 : width) * lie.padded, sums + lie.mass());
  }
}

/// Writes the keys (but of `favor`) and values of some slots as tiles.
void SurfacePass::load_slots(std::size_t index, TileRange range, const TileScratch& scratch) const {
  const SlotSums lie = network_.slot_sums(index);
  const std::size_t values = network_.config.value_width(), keys = lie.rows - values;
  for (std::size_t head = 0; head < lie.heads; ++head) {
    const double* sums = sums_ + head * lie.head_size();
    for (std::size_t row = 0; row < lie.rows; ++row) {
      float* to = row < keys ? scratch.keys + (head * keys + row) * kTilePoints
                             : scratch.key_values + (head * values + row - keys) * kTilePoints;
      for (std::size_t i = 0; i < range.count; ++i) {
        const std::size_t slot = range.first + i;
        to[i] = static_cast<float>(sums[row * lie.padded + slot] / sums[lie.mass() + slot]);
      }
    }
  }
}

/// Gives the slots what is added to scores: anchors, or the logarithm of their Σ φ(k) with `favor`.
void SurfacePass::add_extras(std::size_t index) {
  const SlotSums lie = network_.slot_sums(index);
  const PackedLayer& layer = network_.layers[index];
  const std::size_t capacity = summary_.capacity;
  float* extras = workspace_.extras.reserve(std::max<std::size_t>(3, lie.heads) * capacity);
  summary_.bias = summary_.anchors = nullptr;
  if (network_.is_favor()) {
    summary_.bias = extras;
    for (std::size_t head = 0; head < lie.heads; ++head)
      for (std::size_t j = 0; j < summary_.count; ++j) {
        const double* sums = sums_ + head * lie.head_size() + j;
        extras[head * capacity + j] = static_cast<float>(std::log2(sums[lie.mass()]) + sums[lie.largest()]);
      }
  } else if (!layer.learned.distance_factor().empty()) {
    summary_.anchors = extras;
    summary_.distance_factor = layer.learned.distance_factor().data();
    for (std::size_t axis = 0; axis < 3; ++axis)
      std::copy_n(memory_.anchors.data() + axis * lie.padded, summary_.count, extras + axis * capacity);
  }
}

LayerSummary SurfacePass::finish_slots(std::size_t index) {
  const SlotSums lie = network_.slot_sums(index);
  const bool empty = !(sums_[lie.mass()] > 0.0);  // no point takes part
  const bool anchored = network_.config.mechanism == Mechanism::anchored;
  start_keys(empty ? 0 : anchored ? memory_.num_anchors : network_.layers[index].slots);
  const TileScratch& scratch = workspace_.scratch();
  for (std::size_t first = 0; first < summary_.count; first += kTilePoints) {
    const TileRange range(first / kTilePoints, summary_.count);
    load_slots(index, range, scratch);
    if (network_.is_favor())
      network_.layers[index].learned.copy_to_heads(range, network_.config.heads, scratch.keys);
    simd::store_keys(scratch.keys, scratch.key_values, nullptr, first, range.count, summary_);
  }
  add_extras(index);
  return {summary_};
}

}  // namespace pcl_attention
