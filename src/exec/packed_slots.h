// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "attention/layer_weights.h"
#include "exec/buffer.h"
#include "exec/tile.h"
#include "simd/features.h"
#include "simd/slots.h"

namespace pcl_attention {

using simd::padded_slots;

/// Learned queries of a layer, or ω of `favor`, which all heads share.
class PackedSlots {
 public:
  PackedSlots() = default;
  PackedSlots(const ModelConfig& config, const LayerWeights& weights);

  /// Returns what weigh_slots() takes for a head, without offsets, anchors and positions.
  simd::SlotQueries of_head(std::size_t head) const;

  /// Writes ω of some features as the keys of every head: [heads·D × kTilePoints].
  void copy_to_heads(TileRange range, std::size_t heads, float* keys) const;

  /// Returns [H] −log2(e)/2σ² of `anchored`, else nothing.
  const std::vector<float>& distance_factor() const { return distance_factor_; }

 private:
  std::size_t width_ = 0, padded_ = 0;
  Buffer<float> queries_;          ///< [H or 1][D × padded]
  const Tensor* omega_ = nullptr;  ///< [m × D] of `favor`
  std::vector<float> distance_factor_;
};

/// A feature map of `kernel` with the factors that belong to its features: s(q, k) = Σ_f weight_f φ_f(q)
/// φ_f(k).
struct PackedFeatures {
  PackedFeatures() = default;
  explicit PackedFeatures(const ModelConfig& config);

  double weight(std::size_t feature) const;

  /// Returns true if s may vanish though q and k do not.
  bool may_vanish() const { return !map.elu && constant == 0.0; }

  simd::FeatureMap map;
  std::vector<simd::FeatureTerm> terms;               ///< of the map
  double square = 0.0, linear = 0.0, constant = 0.0;  ///< factors of the polynomial in q · k
};

}  // namespace pcl_attention
