// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <stdexcept>
#include <string>

#include "pcl_attention/ordering.h"

namespace pcl_attention {

std::vector<std::uint32_t> inverse_permutation(const std::vector<std::uint32_t>& row_of_rank) {
  constexpr std::uint32_t unset = std::numeric_limits<std::uint32_t>::max();
  const std::size_t n = row_of_rank.size();
  if (n > unset) throw std::invalid_argument("inverse_permutation: more than 2^32 - 1 rows");
  std::vector<std::uint32_t> rank_of_row(n, unset);
  for (std::size_t rank = 0; rank < n; ++rank) {
    const std::uint32_t row = row_of_rank[rank];
    if (row >= n || rank_of_row[row] != unset)
      throw std::invalid_argument(
          "inverse_permutation: rank " + std::to_string(rank) + " has row " + std::to_string(row) +
          (row >= n ? ", out of range for " : ", as before, of ") + std::to_string(n) + " rows");
    rank_of_row[row] = static_cast<std::uint32_t>(rank);
  }
  return rank_of_row;
}

}  // namespace pcl_attention
