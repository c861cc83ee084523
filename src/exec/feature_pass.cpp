// SPDX-License-Identifier: BSD-3-Clause
// Sums of features for the kernels but `favor`.
#include <algorithm>
#include <cmath>

#include "exec/surface_pass.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;

constexpr double kLeastShare = 1e-5;  // of a denominator in its bound; below it counts as zero

}  // namespace

void SurfacePass::add_features(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                               const float* seen, double* sums) const {
  const std::size_t padded = padded_slots(layer.slots), width = network_.config.head_width;
  const std::size_t value_width = network_.config.value_width();
  std::uint8_t flags[kTilePoints];
  const std::uint8_t* part = taking_part(range, flags);
  keys_of_tile(layer, seen, scratch.keys);
  simd::linear(layer.value.map(), seen, simd::Finish::none, nullptr, scratch.key_values);
  for (std::size_t head = 0; head < network_.config.heads; ++head, sums += (value_width + 1) * padded) {
    simd::feature_panels(layer.features.map, scratch.keys + head * width * kTilePoints, range.count, part,
                         scratch.features, scratch.panels);
    simd::accumulate(scratch.key_values + head * value_width * kTilePoints, value_width, range.count,
                     scratch.panels, layer.slots, sums, sums + value_width * padded);
  }
}

/// Writes S of some features as a tile, with their factors and one scale per head.
void SurfacePass::load_features(const PackedLayer& layer, TileRange range, const double* scale,
                                float* values) const {
  const std::size_t padded = padded_slots(layer.slots), width = network_.config.value_width();
  for (std::size_t head = 0; head < network_.config.heads; ++head)
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t i = 0; i < range.count; ++i) {
        const double sum = sums_[(head * (width + 1) + c) * padded + range.first + i];
        values[(head * width + c) * kTilePoints + i] =
            static_cast<float>(sum * layer.features.weight(range.first + i) * scale[head]);
      }
}

/// S and z are divided by the power of two next to the largest z, which their quotient does not see.
LayerSummary SurfacePass::finish_features(std::size_t index) {
  const PackedLayer& layer = network_.layers[index];
  const PackedFeatures& features = layer.features;
  const std::size_t padded = padded_slots(layer.slots), width = network_.config.value_width();
  const std::size_t heads = network_.config.heads;
  start_keys(layer.slots);
  const std::size_t capacity = summary_.capacity;
  float* mass = workspace_.extras.reserve(heads * (capacity + 1));
  float* least = mass + heads * capacity;
  std::vector<double>& scale = workspace_.scale;
  scale.assign(heads, 1.0);
  for (std::size_t head = 0; head < heads; ++head) {
    const double* z = sums_ + (head * (width + 1) + width) * padded;
    double largest = 0.0, squares = 0.0;
    for (std::size_t f = 0; f < layer.slots; ++f)
      largest = std::max(largest, std::abs(z[f] * features.weight(f)));
    for (std::size_t c = 0; c < features.map.width; ++c) squares += z[c];
    if (largest > 0.0) scale[head] = std::ldexp(1.0, -std::ilogb(largest));
    for (std::size_t f = 0; f < layer.slots; ++f)
      mass[head * capacity + f] = static_cast<float>(z[f] * features.weight(f) * scale[head]);
    least[head] = features.may_vanish()
                      ? static_cast<float>(kLeastShare * features.square * squares * scale[head])
                      : 0.0F;
  }
  const TileScratch& scratch = workspace_.scratch();
  for (std::size_t first = 0; first < layer.slots; first += kTilePoints) {
    const TileRange range(first / kTilePoints, layer.slots);
    load_features(layer, range, scale.data(), scratch.key_values);
    simd::store_keys(nullptr, scratch.key_values, nullptr, first, range.count, summary_);
  }
  return {summary_, mass, least};
}

}  // namespace pcl_attention
