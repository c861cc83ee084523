// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pcl_attention::test {

/// What the heap was asked for by operator new anywhere, and by malloc and its kin from the objects of this
/// program: the library and the test. What shared libraries do inside, oneTBB's task memory among it, is not
/// seen. Programs that use this are passed to pcl_attention_count_heap() in CMake.
struct HeapUse {
  std::size_t calls = 0;  ///< that gave memory
  std::size_t live = 0;   ///< bytes in use
  std::size_t peak = 0;   ///< most bytes in use since start_peak()
};

/// Returns what was used since the program began.
HeapUse heap_use();

/// Makes the bytes now in use the peak.
void start_peak();

}  // namespace pcl_attention::test
