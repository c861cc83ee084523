// SPDX-License-Identifier: BSD-3-Clause
// Blocks add to one number without any protection: a data race on purpose.
#include <cstddef>
#include <cstdio>

#include "exec/parallel.h"

int main() {
  std::size_t sum = 0;
  pcl_attention::with_threads(4, [&] {
    pcl_attention::for_each_block(100000, 1, [&](std::size_t begin, std::size_t) { sum += begin; });
    return 0;
  });
  std::printf("%zu\n", sum);
  return 0;
}
