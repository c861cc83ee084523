// SPDX-License-Identifier: BSD-3-Clause
// From sums over the points to keys and values.
#include <algorithm>

#include "exec/surface_pass.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;

constexpr double kLeastColumnSum = 1e-6;  // of `position`: below it no point reaches the anchor

}  // namespace

void SurfacePass::start_keys(std::size_t slots) {
  summary_.heads = network_.config.heads;
  summary_.head_width = network_.config.head_width;
  summary_.value_width = network_.config.value_width();
  summary_.capacity = (slots + simd::kKeyBlock - 1) / simd::kKeyBlock * simd::kKeyBlock;
  summary_.count = slots;
  summary_.keys = workspace_.keys.reserve(summary_.heads * summary_.key_size());
  summary_.values = workspace_.values.reserve(summary_.heads * summary_.value_size());
}

const std::vector<std::size_t>& SurfacePass::used_slots(const PackedLayer& layer) {
  std::vector<std::size_t>& slots = workspace_.slots;
  slots.clear();
  slots.reserve(layer.slots);
  const double* mass = sums_ + layer.width_in * padded_slots(layer.slots);
  for (std::size_t j = 0; j < layer.slots; ++j)
    if (stored() || mass[j] >= kLeastColumnSum) slots.push_back(j);
  if (is(Summarising::grid) || is(Summarising::scored)) masked_slots_ += layer.slots - slots.size();
  return slots;
}

LayerSummary SurfacePass::finish(std::size_t index) {
  if (is(Summarising::points)) count_slots();
  if (keeps_points()) return {summary_};
  if (is(Summarising::slots)) return finish_slots(index);
  if (is(Summarising::features)) return finish_features(index);
  const PackedLayer& layer = network_.layers[index];
  if (is(Summarising::cosines)) turn_cosines_to_slots(layer);
  const std::vector<std::size_t>& slots = used_slots(layer);
  start_keys(layer.slots);
  summary_.count = slots.size();
  const TileScratch& scratch = workspace_.scratch();
  for (std::size_t first = 0; first < slots.size(); first += kTilePoints) {
    const TileRange range(first / kTilePoints, slots.size());
    project(layer, slots, range, scratch);
    add_bias(layer, slots, range, scratch);
    simd::store_keys(scratch.keys, scratch.key_values, nullptr, first, range.count, summary_);
  }
  return {summary_};
}

/// Turns the points' sums weighted by cosines, X_m, into sums of keys and values of slots: by linearity
/// (E X) W = (N/n) Σ_m c_m (X_m W).
void SurfacePass::turn_cosines_to_slots(const PackedLayer& layer) {
  const std::size_t count = projection().cosines, stride = padded_slots(count),
                    slots = padded_slots(layer.slots), inner = network_.key_width(),
                    width = network_.config.head_width;
  const double ratio = static_cast<double>(projection().length) /
                       static_cast<double>(std::max<std::size_t>(1, layout_.num_ranks()));
  double* const keys = workspace_.slot_sums.reserve(2 * inner * slots);
  std::fill_n(keys, 2 * inner * slots, 0.0);
  const TileScratch& scratch = workspace_.scratch();
  for (std::size_t first = 0; first < count; first += kTilePoints) {
    const TileRange range(first / kTilePoints, count);
    for (std::size_t c = 0; c < layer.width_in; ++c)
      for (std::size_t i = 0; i < kTilePoints; ++i)
        scratch.x[c * kTilePoints + i] =
            i < range.count ? static_cast<float>(ratio * sums_[c * stride + first + i]) : 0.0F;
    simd::linear(layer.key.map(), scratch.x, simd::Finish::none, nullptr, scratch.keys);
    simd::linear(layer.value.map(), scratch.x, simd::Finish::none, nullptr, scratch.key_values);
    const auto add = [&](std::size_t projection, const float* rows, double* sums) {
      simd::accumulate(rows, width, range.count, network_.projections[projection].panels(first / kTilePoints),
                       slots, sums);
    };
    for (std::size_t row = 0, head = 0; head < network_.config.heads; row += width, ++head) {
      add(layer.key_projection[head], scratch.keys + row * kTilePoints, keys + row * slots);
      add(layer.value_projection[head], scratch.key_values + row * kTilePoints, keys + (inner + row) * slots);
    }
  }
  sums_ = keys;
}

/// Writes sums [channels × slots] of some slots as a tile, divided by Σ e where the projection is normalised.
void SurfacePass::load_sums(const double* sums, std::size_t channels, const PackedLayer& layer,
                            const std::vector<std::size_t>& slots, TileRange range, float* x) const {
  const std::size_t stride = padded_slots(layer.slots);
  const double* mass = sums_ + layer.width_in * stride;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t i = 0; i < kTilePoints; ++i) {
      const std::size_t slot = slots[range.first + std::min(i, range.count - 1)];
      const double sum = sums[c * stride + slot];
      x[c * kTilePoints + i] = static_cast<float>(stored() ? sum : sum / mass[slot]);
    }
}

/// Writes the keys and values of some slots as tiles.
void SurfacePass::project(const PackedLayer& layer, const std::vector<std::size_t>& slots, TileRange range,
                          const TileScratch& scratch) const {
  const std::size_t stride = padded_slots(layer.slots);
  if (is(Summarising::direct) || is(Summarising::cosines)) {
    const std::size_t inner = network_.key_width();
    load_sums(sums_, inner, layer, slots, range, scratch.keys);
    load_sums(sums_ + inner * stride, inner, layer, slots, range, scratch.key_values);
    return;
  }
  load_sums(sums_, layer.width_in, layer, slots, range, scratch.x);
  simd::linear(layer.key.map(), scratch.x, simd::Finish::none, nullptr, scratch.keys);
  if (stored() && layer.key_projection[0] != layer.value_projection[0])
    load_sums(sums_ + layer.width_in * stride, layer.width_in, layer, slots, range, scratch.x);
  simd::linear(layer.value.map(), scratch.x, simd::Finish::none, nullptr, scratch.key_values);
}

void SurfacePass::add_bias(const PackedLayer& layer, const std::vector<std::size_t>& slots, TileRange range,
                           const TileScratch& scratch) const {
  if (!stored()) return;
  const auto add = [&](const Tensor* bias, std::size_t head, float* tile) {
    if (bias == nullptr) return;
    const std::size_t width = network_.config.head_width;
    for (std::size_t c = head * width; c < (head + 1) * width; ++c)
      for (std::size_t i = 0; i < range.count; ++i)
        tile[c * kTilePoints + i] += bias->values[slots[range.first + i]];
  };
  for (std::size_t head = 0; head < network_.config.heads; ++head) {
    add(network_.projections[layer.key_projection[head]].bias(), head, scratch.keys);
    add(network_.projections[layer.value_projection[head]].bias(), head, scratch.key_values);
  }
}

}  // namespace pcl_attention
