// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "pcl_attention/config.h"
#include "reference/linear.h"

namespace pcl_attention::reference {

/// Rank and placed position of a surface token.
struct Place {
  std::size_t rank = 0;
  const double* position = nullptr;  ///< [3], null if the model uses none
};

/// What a projection may know of the whole surface before it gives a row.
struct SurfaceFacts {
  std::size_t num_ranks = 0;                  ///< n, padded rows included
  std::array<double, 3> lowest{}, highest{};  ///< box of the kept placed positions
  LengthPolicy length_policy = LengthPolicy::strict;
};

/// The n → k matrix E, a row per point.
class ProjectionRows {
 public:
  virtual ~ProjectionRows() = default;

  /// Writes e[0 … k−1], the point's column of E.
  virtual void row(const Place& place, double* e) const = 0;

  /// Returns true if Σ e over the points divides each slot's sum.
  virtual bool is_normalised() const { return false; }

  /// Returns b [k], added to every channel of K' and V'; empty where there is none.
  virtual RowVector bias() const { return {}; }
};

/// Returns a stored E [k × N] with its length policy (`learned`, `fixed`). Reads `map` while it lives.
std::unique_ptr<ProjectionRows> make_stored_rows(const Linear& map, const SurfaceFacts& facts);

/// Returns `smooth`: e_i = (N/n) Σ_m c_im cos(π m (rank + ½) / n), c [k × M]. Reads `map` while it lives.
std::unique_ptr<ProjectionRows> make_smooth_rows(const Linear& map, std::size_t length,
                                                 const SurfaceFacts& facts);

/// Returns the runs of `segment_mean`: e_j = 1 in slot ((rank + 1) · k' − 1) / n, k' = min(k, n).
std::unique_ptr<ProjectionRows> make_segment_rows(std::size_t k, const SurfaceFacts& facts);

/// What `position` learns; empty where it does not.
struct PositionMap {
  PositionMap() = default;
  explicit PositionMap(const PositionWeights& weights);

  Matrix anchors;  ///< [k × 3]
  Linear mlp_in, mlp_out;
};

/// Returns `position`: e = softmax_j(−Σ_axis (p − a_j)² / 2σ² + MLP(p)_j). Anchors in the middle of a grid of
/// cells over the box, σ = projection.sigma · cell edge per axis, where an axis without extent counts for
/// nothing; or learned ones, σ = projection.sigma. Reads `map` while it lives.
std::unique_ptr<ProjectionRows> make_position_rows(const ProjectionConfig& projection, const PositionMap& map,
                                                   const SurfaceFacts& facts);

}  // namespace pcl_attention::reference
