// SPDX-License-Identifier: BSD-3-Clause
#include "exec/tile_projection.h"

#include <cmath>

#include "attention/placement.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;
constexpr double kLog2E = 1.4426950408889634;

std::size_t num_slots(const ProjectionConfig& config) {
  return config.anchor_grid[0] * config.anchor_grid[1] * config.anchor_grid[2];
}

}  // namespace

StoredProjection::StoredProjection(const LinearWeights& weights)
    : tensor_(weights.weight),
      bias_(weights.bias),
      length_(tensor_->shape[1]),
      padded_(padded_slots(tensor_->shape[0])) {
  const std::size_t slots = tensor_->shape[0], num_tiles = (length_ + kTilePoints - 1) / kTilePoints;
  panels_.reserve(num_tiles * kTilePoints * padded_);
  for (std::size_t i = 0; i < length_; ++i) {
    float* to = panels_.data() + offset_of(i);
    for (std::size_t j = 0; j < slots; ++j) to[simd::panel_slot(j)] = tensor_->values[j * length_ + i];
  }
}

std::size_t StoredProjection::offset_of(std::size_t rank) const {
  return rank / kTilePoints * kTilePoints * padded_ + simd::panel_row(rank % kTilePoints);
}

const float* StoredProjection::panels(const SurfaceLayout& layout, LengthPolicy policy, TileRange range,
                                      float* scratch) const {
  const bool stretched = policy == LengthPolicy::resample && layout.num_ranks() != length_;
  if (!stretched && layout.all_take_part(range)) return panels_.data() + offset_of(range.first);
  const float *low[kTilePoints], *high[kTilePoints];
  float weight[kTilePoints];
  const double ratio =
      stretched ? static_cast<double>(length_) / static_cast<double>(layout.num_ranks()) : 1.0;
  for (std::size_t p = 0; p < range.count; ++p) {
    low[p] = high[p] = nullptr;
    weight[p] = 0.0F;
    if (!layout.takes_part(range.first + p)) continue;
    const auto rank = static_cast<double>(layout.rank(range.first + p));
    const double at = std::min(std::max((rank + 0.5) * ratio - 0.5, 0.0), static_cast<double>(length_ - 1));
    const auto whole = static_cast<std::size_t>(at);
    low[p] = panels_.data() + offset_of(whole);
    high[p] = panels_.data() + offset_of(std::min(whole + 1, length_ - 1));
    weight[p] = static_cast<float>(at - static_cast<double>(whole));
  }
  simd::blend_panels(low, high, weight, static_cast<float>(ratio), range.count, padded_, scratch);
  return scratch;
}

void clear_left_out(const SurfaceLayout& layout, TileRange range, std::size_t padded, float* panels) {
  for (std::size_t p = 0; p < range.count; ++p)
    for (std::size_t j = 0; j < padded && !layout.takes_part(range.first + p); j += simd::kSlotPanel)
      std::fill_n(panels + simd::panel_row(p) + simd::panel_slot(j), simd::kSlotPanel, 0.0F);
}

void GridProjection::prepare(const ProjectionConfig& config, const SurfaceLayout& layout,
                             const Placement& placement) {
  TokenRows ranked = *layout.tokens;
  ranked.n = layout.num_ranked;
  const AnchorBox box = anchor_box(ranked, layout.keep);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = placement.place(box.low[axis], axis), high = placement.place(box.high[axis], axis);
    const std::size_t count = config.anchor_grid[axis];
    const double edge = (high - low) / static_cast<double>(count), sigma = config.sigma * edge;
    factor_[axis] = edge > 0.0 ? static_cast<float>(-0.5 * kLog2E / (sigma * sigma)) : 0.0F;
    anchors_[axis].resize(count);
    for (std::size_t i = 0; i < count; ++i)
      anchors_[axis][i] = edge > 0.0 ? static_cast<float>(low + (static_cast<double>(i) + 0.5) * edge) : 0.0F;
  }
}

std::size_t GridProjection::scratch_size(const ProjectionConfig& config) {
  const std::size_t axes = 3 + config.anchor_grid[0] + config.anchor_grid[1] + config.anchor_grid[2];
  return (axes + padded_slots(num_slots(config))) * kTilePoints;
}

void GridProjection::panels(const SurfaceLayout& layout, TileRange range, const double* positions,
                            float* scratch, float* out) const {
  float* next = scratch + 3 * kTilePoints;
  const float* weights[3];
  std::size_t size[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float* position = scratch + axis * kTilePoints;
    for (std::size_t p = 0; p < kTilePoints; ++p)
      position[p] = static_cast<float>(positions[axis * kTilePoints + p]);
    size[axis] = anchors_[axis].size();
    simd::anchor_weights(position, anchors_[axis].data(), size[axis], factor_[axis], next);
    weights[axis] = next;
    next += size[axis] * kTilePoints;
  }
  float* first_axis = scratch + 3 * kTilePoints;
  for (std::size_t p = 0; p < range.count; ++p)
    if (!layout.takes_part(range.first + p))
      for (std::size_t a = 0; a < size[0]; ++a) first_axis[a * kTilePoints + p] = 0.0F;
  simd::product_panels(weights, size, padded_slots(size[0] * size[1] * size[2]), next, out);
}

}  // namespace pcl_attention
