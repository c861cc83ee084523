// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcl_attention/export.h"

namespace pcl_attention {

enum class SelectionKind { count, fraction, threshold };

/// Which points of m are kept.
struct Selection {
  SelectionKind kind = SelectionKind::fraction;
  std::size_t count = 0;   ///< the min(count, m) points with the largest values
  double fraction = 0.5;   ///< the ⌈fraction · m⌉ points with the largest values, in [0, 1]
  double threshold = 1.0;  ///< the points with value · m ≥ threshold: 1 is the even share of a sum of 1

  /// @throws std::invalid_argument naming the number out of its range.
  PCL_ATTENTION_EXPORT void check() const;
};

/// Returns [values.size()], 1 = keep. Points without a rank and those with a NaN value are neither kept nor
/// counted in m. Of equal values the lower rank comes first.
/// @param values  one number per point, such as the attention it receives
/// @param ranked  rank → point, as ranked_points() gives them
/// @throws std::invalid_argument as Selection::check() does. O(m log m).
PCL_ATTENTION_EXPORT std::vector<std::uint8_t> select_points(const std::vector<double>& values,
                                                             const std::vector<std::uint32_t>& ranked,
                                                             const Selection& selection);

}  // namespace pcl_attention
