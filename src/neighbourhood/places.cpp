// SPDX-License-Identifier: BSD-3-Clause
#include "neighbourhood/places.h"

#include <algorithm>

namespace pcl_attention {

void Places::take(const TokenRows& tokens, std::size_t num_points) {
  positions_.clear();
  positions_.reserve(3 * num_points);
  first_rank_.clear();
  first_rank_.reserve(num_points + 1);
  for (std::size_t rank = 0; rank < num_points; ++rank) {
    const float* position = tokens.position(rank);
    if (rank > 0 && std::equal(position, position + 3, positions_.end() - 3)) continue;
    positions_.insert(positions_.end(), position, position + 3);
    first_rank_.push_back(static_cast<std::uint32_t>(rank));
  }
  first_rank_.push_back(static_cast<std::uint32_t>(num_points));
}

}  // namespace pcl_attention
