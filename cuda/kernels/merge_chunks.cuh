// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/summary.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kMergeThreads = 256, kTreeDepth = 9;
static_assert(kMostChunks <= std::size_t{1} << (kTreeDepth - 1));

/// A thread per number: stack[l] holds the sum of a finished range; ranges grow as the bits of a binary
/// counter carry, which makes the tree of tree_reduce().
__global__ void merge_chunks_kernel(const double* partial, std::size_t chunks, std::size_t size,
                                    double* sums) {
  const std::size_t i = global_thread();
  if (i >= size) return;
  double stack[kTreeDepth];
  unsigned top = 0;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    stack[top++] = partial[chunk * size + i];
    for (std::size_t done = chunk + 1; done % 2 == 0; done /= 2) {
      --top;
      stack[top - 1] += stack[top];
    }
  }
  for (; top > 1; --top) stack[top - 2] += stack[top - 1];
  sums[i] = top == 0 ? 0.0 : stack[0];
}

void merge_chunks(const double* partial, std::size_t chunks, std::size_t size, double* sums, Stream stream) {
  if (size == 0) return;
  GPU_LAUNCH(merge_chunks_kernel, num_blocks(size, kMergeThreads), kMergeThreads, 0, stream, partial, chunks,
             size, sums);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
