// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda/sort.h"

namespace pcl_attention::cuda {

std::size_t sort_scratch_bytes(std::size_t n) { return n + 1; }

void sort_rows(const SortRows& rows, void* scratch, std::size_t scratch_bytes, StreamHandle) {
  std::memset(scratch, 0xFF, scratch_bytes);
  const int bits = rows.end_bit - rows.first_bit;
  const std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)
                             << rows.first_bit;
  std::vector<std::size_t> order(rows.n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (rows.keys[a] & mask) < (rows.keys[b] & mask);
  });
  for (std::size_t i = 0; i < rows.n; ++i) {
    rows.sorted_keys[i] = rows.keys[order[i]];
    rows.sorted_rows[i] = rows.rows[order[i]];
  }
}

}  // namespace pcl_attention::cuda
