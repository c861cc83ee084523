// SPDX-License-Identifier: BSD-3-Clause
#include "exec/packed_slots.h"

#include <algorithm>
#include <cmath>

namespace pcl_attention {
namespace {

constexpr double kLog2E = 1.4426950408889634;

}  // namespace

PackedSlots::PackedSlots(const ModelConfig& config, const LayerWeights& weights)
    : width_(config.head_width), omega_(weights.features) {
  const Tensor& tensor = omega_ != nullptr ? *omega_ : *weights.slots;
  const std::size_t slots = tensor.shape[0], columns = tensor.shape[1];
  const double width = static_cast<double>(width_);
  const double scale = kLog2E / (omega_ != nullptr ? std::pow(width, 0.25) : std::sqrt(width));
  padded_ = padded_slots(slots);
  std::fill_n(queries_.reserve(columns * padded_), columns * padded_, 0.0F);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t j = 0; j < slots; ++j)
      queries_.data()[c * padded_ + j] =
          static_cast<float>(scale * static_cast<double>(tensor.values[j * columns + c]));
  if (config.mechanism != Mechanism::anchored) return;
  for (double sigma : anchor_sigmas(config, weights))
    distance_factor_.push_back(static_cast<float>(-0.5 * kLog2E / (sigma * sigma)));
}

simd::SlotQueries PackedSlots::of_head(std::size_t head) const {
  simd::SlotQueries slots;
  slots.queries = queries_.data() + (omega_ != nullptr ? 0 : head * width_ * padded_);
  slots.width = width_;
  slots.padded_slots = padded_;
  if (!distance_factor_.empty()) slots.distance_factor = distance_factor_[head];
  return slots;
}

void PackedSlots::copy_to_heads(TileRange range, std::size_t heads, float* keys) const {
  for (std::size_t row = 0; row < heads * width_; ++row)
    for (std::size_t i = 0; i < range.count; ++i)
      keys[row * simd::kTilePoints + i] = omega_->values[(range.first + i) * width_ + row % width_];
}

PackedFeatures::PackedFeatures(const ModelConfig& config) {
  const double width = static_cast<double>(config.head_width);
  map.width = config.head_width;
  map.elu = config.kernel.similarity == Similarity::elu;
  map.linear = config.kernel.similarity == Similarity::taylor;
  map.constant = map.linear || config.kernel.constant;
  square = (map.linear ? 0.5 : 1.0) / width;
  if (map.linear) linear = 1.0 / std::sqrt(width);
  if (map.constant) constant = 1.0;
  for (std::size_t f = 0; f < map.size(); ++f) terms.push_back(map.term(f));
}

double PackedFeatures::weight(std::size_t feature) const {
  if (map.elu) return 1.0;
  if (feature < map.width) return square;
  if (feature < map.num_pairs()) return 2.0 * square;
  return map.linear && feature < map.num_pairs() + map.width ? linear : constant;
}

}  // namespace pcl_attention
