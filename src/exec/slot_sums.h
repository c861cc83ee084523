// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pcl_attention {

/// Where the sums of a softmax over points lie: for every head `rows` rows of channels, then Σ e, then the
/// largest score, each [padded] numbers. Sums stand relative to the largest score of their slot, an integer.
struct SlotSums {
  std::size_t heads = 0, rows = 0, padded = 0;

  std::size_t head_size() const { return (rows + 2) * padded; }
  std::size_t size() const { return heads * head_size(); }
  std::size_t mass() const { return rows * padded; }           ///< in the sums of a head
  std::size_t largest() const { return (rows + 1) * padded; }  ///< likewise

  /// Makes sums of no points.
  void clear(double* sums) const;

  /// Raises a head's largest scores, which scales its sums by exact powers of two.
  /// @param raised  [padded] integers, not below the present ones
  void raise(const float* raised, double* head) const;

  /// Adds the sums of other points.
  void merge(const double* from, double* to) const;
};

}  // namespace pcl_attention
