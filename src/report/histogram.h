// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace pcl_attention {

/// Errors counted in half decades, as float32. edges[i] ≤ error < edges[i + 1]; the first and the last count
/// take what lies beyond them.
struct ErrorHistogram {
  std::vector<double> edges;        ///< 10^−9, 10^−8.5 … 10^1
  std::vector<std::size_t> counts;  ///< [edges − 1]
  std::size_t zero = 0, invalid = 0;
};

ErrorHistogram histogram_of(const std::vector<double>& errors);

}  // namespace pcl_attention
