// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simd/kernels.h"

// Feature maps of `kernel`. Pairs of channels are counted once, along cyclic diagonals: feature s · D + d is
// x_d · x_{(d + s) mod D}, D (D + 1) / 2 of them. They carry no factors: S and z do.

namespace pcl_attention::simd {

/// A feature is u_a · u_b, u = [x_0 … x_D−1, 1], or [elu(x_0) + 1 …, 1].
struct FeatureTerm {
  std::uint32_t a = 0, b = 0;
};

/// φ(x): elu(x) + 1, or pairs of channels, then the channels, then 1.
struct FeatureMap {
  bool elu = false;
  bool linear = false, constant = false;  ///< behind the pairs
  std::size_t width = 0;                  ///< D

  std::size_t num_pairs() const { return elu ? 0 : width * (width + 1) / 2; }
  std::size_t size() const { return elu ? width : num_pairs() + (linear ? width : 0) + (constant ? 1 : 0); }
  FeatureTerm term(std::size_t feature) const {
    const bool single = feature >= num_pairs();
    std::size_t a = single ? feature - num_pairs() : feature % width;
    if (single && !linear && !elu) a = width;
    return {static_cast<std::uint32_t>(a),
            static_cast<std::uint32_t>(single ? width : (feature / width + a) % width)};
  }
};

constexpr std::size_t kGathered = 32;  ///< points that feature_panels() turns into rows at a time

/// Returns floats of such a row: the channels twice, 1, and zeros for what a panel has left.
inline std::size_t gathered_size(const FeatureMap& map) {
  return (2 * map.width + 1 + kSlotPanel + 15) / 16 * 16;
}

/// Returns floats of scratch that feature_panels() and answer_features() need.
inline std::size_t panel_scratch_size(const FeatureMap& map) { return kGathered * gathered_size(map); }
inline std::size_t answer_scratch_size(const FeatureMap& map) { return (map.width + 1) * 16; }

/// Writes panels e[p][f] = φ_f(x_p) of the tile's first `count` points, zero for those that do not take part
/// and behind the last feature. Lanes are features.
/// @param x           [width × kTilePoints]
/// @param takes_part  [kTilePoints] nonzero = yes; null: all
/// @param scratch     panel_scratch_size()
/// @param panels      [padded_slots / kSlotPanel][kTilePoints][kSlotPanel]
void feature_panels(const FeatureMap& map, const float* x, std::size_t count, const std::uint8_t* takes_part,
                    float* scratch, float* panels);

/// S and z of all heads.
struct FeatureSums {
  KeyValues values;             ///< S: features are slots, without keys
  const float* mass = nullptr;  ///< [heads × capacity] z
  /// [heads] a denominator that is not above least[h] · ‖q‖² counts as zero.
  const float* least = nullptr;
  const FeatureTerm* terms = nullptr;  ///< [features] of the map
};

/// Writes out_h = φ(q_h)ᵀ S_h / φ(q_h)ᵀ z_h for every head, 0 where the denominator counts as zero, and
/// returns how often it does among the first `count` points.
/// @param q        [heads·width × kTilePoints]
/// @param scratch  answer_scratch_size()
/// @param out      [heads·value_width × kTilePoints]
std::size_t answer_features(const FeatureMap& map, const FeatureSums& sums, const float* q, std::size_t count,
                            float* scratch, float* out);

}  // namespace pcl_attention::simd
