// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "cuda_emulation/emulation.h"

// What kernels ask of the emulation, by the words of words.h.

namespace cuda_emulation {

struct Place {
  dim3 thread, block, block_size, grid_size;
};
const Place& place();

enum class WarpOperation { sync, from_lane, from_xor };

/// Where a thread waits.
struct Source {
  const char* file;
  int line;
};

/// Waits for all threads of the block that have not ended.
void block_barrier(Source source);

/// Waits for the lanes of `mask` and replaces value [size ≤ 8 bytes] by the operation's result. A lane that
/// the mask does not name, or that is not there, gives numbers that are not.
void warp_operation(WarpOperation operation, unsigned mask, void* value, std::size_t size, int argument,
                    Source source);

/// Returns the block's array of `key`, exactly of this size, filled with NaN at the first call.
void* static_shared(const void* key, std::size_t bytes);

/// Returns the block's memory of the launch, filled likewise.
void* dynamic_shared();

}  // namespace cuda_emulation
