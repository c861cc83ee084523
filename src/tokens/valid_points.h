// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pcl_attention/cloud.h"
#include "tokens/column.h"

namespace pcl_attention {

constexpr std::size_t kGatherBlock = 1024;  ///< points that one thread reads at a time

using PointAddresses = std::array<const std::byte*, kGatherBlock>;
using PointNumbers = std::array<double, kGatherBlock>;

/// Smallest and largest coordinate per axis; low > high without points.
struct Extent {
  std::array<double, 3> low, high;

  Extent() {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
  }
  void add(const std::array<double, 3>& smallest, const std::array<double, 3>& largest);
};

/// What a block of points holds.
struct ValidBlock {
  std::size_t count = 0;
  Extent extent;
};

/// Writes which points are valid, ascending, and returns their extent.
/// @param blocks  scratch that keeps its memory
/// @param point   out; keeps its memory
Extent find_valid_points(const CloudView& cloud, const std::vector<TokenColumn>& columns,
                         bool zero_is_invalid, std::vector<ValidBlock>& blocks,
                         std::vector<std::uint32_t>& point);

}  // namespace pcl_attention
