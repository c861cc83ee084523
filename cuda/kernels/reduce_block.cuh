// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kReducedThreads = 256;

/// Leaves in shared[0] what the threads of a block found, added in one sequence by add(to, other). Between
/// two calls only thread 0 may read it, or a barrier stands.
template <class T, class Add>
__device__ inline void reduce_block(T* shared, const T& mine, const Add& add) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = kReducedThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) add(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
}

/// Returns the blocks that reduce n items: they depend on n alone.
inline unsigned num_reduced_blocks(std::size_t n, std::size_t most) {
  const std::size_t wanted = (n + kReducedThreads - 1) / kReducedThreads;
  return static_cast<unsigned>(wanted == 0 ? 1 : wanted < most ? wanted : most);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
