// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simd/kernels.h"

// Feature maps of `kernel`. Pairs of channels are counted once, along cyclic diagonals: feature s · D + d is
// x_d · x_{(d + s) mod D}, D (D + 1) / 2 of them. They carry no factors: S and z do.

namespace pcl_attention::simd {

/// φ(x): elu(x) + 1, or pairs of channels, then the channels, then 1.
struct FeatureMap {
  bool elu = false;
  bool linear = false, constant = false;  ///< behind the pairs
  std::size_t width = 0;                  ///< D

  std::size_t num_pairs() const { return elu ? 0 : width * (width + 1) / 2; }
  std::size_t size() const { return elu ? width : num_pairs() + (linear ? width : 0) + (constant ? 1 : 0); }
};

/// Returns floats of scratch that feature_panels() and answer_features() need.
std::size_t feature_scratch_size(const FeatureMap& map);

/// Writes panels e[p][f] = φ_f(x_p) of the tile's first `count` points, zero for those that do not take part
/// and behind the last feature. Lanes are features.
/// @param x           [width × kTilePoints]
/// @param takes_part  [kTilePoints] nonzero = yes; null: all
/// @param panels      [padded_slots / kSlotPanel][kTilePoints][kSlotPanel]
void feature_panels(const FeatureMap& map, const float* x, std::size_t count, const std::uint8_t* takes_part,
                    float* scratch, float* panels);

/// S and z of all heads.
struct FeatureSums {
  KeyValues values;             ///< S: features are slots, without keys
  const float* mass = nullptr;  ///< [heads × capacity] z
  /// [heads] a denominator that is not above least[h] · ‖q‖² counts as zero.
  const float* least = nullptr;
};

/// Writes out_h = φ(q_h)ᵀ S_h / φ(q_h)ᵀ z_h for every head, 0 where the denominator counts as zero, and
/// returns how often it does among the first `count` points.
/// @param q    [heads·width × kTilePoints]
/// @param out  [heads·value_width × kTilePoints]
std::size_t answer_features(const FeatureMap& map, const FeatureSums& sums, const float* q, std::size_t count,
                            float* scratch, float* out);

}  // namespace pcl_attention::simd
