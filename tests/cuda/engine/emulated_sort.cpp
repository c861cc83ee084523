// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda/sort.h"

namespace pcl_attention::cuda {

std::size_t sort_scratch_bytes(std::size_t n) { return n + 1; }

void sort_rows(const SortMemory& memory, std::size_t n, KeyBits bits, StreamHandle) {
  std::memset(memory.scratch, 0xFF, memory.scratch_bytes);
  const int width = bits.end - bits.first;
  const std::uint64_t mask = (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1)
                             << bits.first;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (memory.keys[a] & mask) < (memory.keys[b] & mask);
  });
  for (std::size_t i = 0; i < n; ++i) {
    memory.sorted_keys[i] = memory.keys[order[i]];
    memory.sorted_rows[i] = memory.rows[order[i]];
  }
}

}  // namespace pcl_attention::cuda
