// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/change.h"

namespace pcl_attention {

/// Finite points of a cloud, relative to their minimum per axis.
struct Positions {
  std::vector<float> xyz;            ///< [points × 3]; NaN for points that are not finite
  std::vector<std::uint32_t> valid;  ///< which points are finite, ascending
};

/// @throws CloudError unless x, y, z are float32 or float64.
Positions positions_of(const CloudView& cloud, const MovingPoints& moving);

struct Spacing {
  double median = 0.0;     ///< 0 if no two points differ
  std::size_t sample = 0;  ///< points it was taken over
};

/// Returns the median distance of at most 512 random points to the nearest point elsewhere. O(512 · n).
Spacing median_spacing(const Positions& positions, std::uint64_t seed);

/// Returns 16 hex digits, FNV-1a over the bytes of all points in their sequence.
std::string hash_of(const CloudView& cloud);

}  // namespace pcl_attention
