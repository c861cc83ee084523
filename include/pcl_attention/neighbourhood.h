// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "pcl_attention/export.h"
#include "pcl_attention/tokens.h"

// Fields that a model may name in its InputSpec and that no cloud holds: Encoder computes them, 1 channel
// each, times the field's scale. Names, each behind "neighbourhood.":
//
// clang-format off
//   log_distance_1                              lg(d_1)
//   log_mean_distance_4 · _8 · _16 · _32        lg(M_k)
//   log_density_ratio_4 · _8 · _16              lg(M_k) − mean of the neighbours' own lg(M_k), i ≤ k
//   extent_ratio_2 · extent_ratio_3             √(λ2/λ1) · √(λ3/λ1)
//   log_spread                                  ½ ln(λ1 + λ2 + λ3 + e²)
//   abs_normal_z                                |n_z|
//   abs_normal_view                             |n · v| / max(‖v‖, 1e-6)
//   log_range                                   ln(‖v‖ + 1e-6)
// clang-format on
//
// d_i: distance to the i-th nearest other point, i ≤ 32, d² = dx² + dy² + dz² in double, equal distances by
// rank; M_k: mean of d_1 … d_k; lg(a) = ln(a + e), e = 1e-4 · median of d_8 over the points + 1e-9. λ1 ≥ λ2 ≥
// λ3: eigenvalues of Σ (p_i − mean)(p_i − mean)ᵀ / 16 over neighbours 1 … 16, negative ones 0, then 1e-18
// added to each; n: unit eigenvector of λ3. v = p − EncodeInput::sensor_origin.
//
// Points are the valid ones that key_mask keeps, coordinates as Tokens::positions: float32(x − origin). A
// point with fewer neighbours than k uses those there are; without any, d and M are 0 and the ratio is 0.
// Other copies of a point are neighbours at distance 0. Where λ2 ≈ λ3, n is any of the vectors that fit.
// Masked points and foreign queries are described by the kept points: one that lies on a kept point gets the
// values of that point.
//
// The result is in double, rounded once; it does not depend on the input's order or the number of threads. A
// canonical order is needed. Time O(n log n), memory about 220 bytes per point; nanoflann's search tree is
// the one thing that allocates in every frame.

namespace pcl_attention {

/// Returns the names of all neighbourhood fields, in the sequence above.
PCL_ATTENTION_EXPORT const std::vector<std::string>& neighbourhood_fields();

/// Returns true if `name` begins with "neighbourhood.": such a field is never read from a cloud.
PCL_ATTENTION_EXPORT bool is_neighbourhood_field(const std::string& name);

/// Returns true if a field is one of the two that need the sensor's origin.
PCL_ATTENTION_EXPORT bool needs_sensor_origin(const InputSpec& input);

}  // namespace pcl_attention
