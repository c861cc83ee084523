// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The words of the kernels: those of CUDA, or their emulation on a CPU.
//   GPU_SHARED(type, name, [dims]…)         a block's array
//   GPU_DYNAMIC_SHARED(type, name)          a block's memory of the size given at the launch
//   GPU_LAUNCH(kernel, blocks, threads, shared bytes, stream, arguments…)

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/world.h"

#ifdef PCL_ATTENTION_CUDA_EMULATION
#include "cuda_emulation/words.h"
#else
#include <cuda_runtime.h>

#define GPU_SHARED(T, name, ...) __shared__ T name __VA_ARGS__
#define GPU_DYNAMIC_SHARED(T, name)                                  \
  extern __shared__ __align__(16) unsigned char gpu_shared_memory[]; \
  T* const name = reinterpret_cast<T*>(gpu_shared_memory)
#define GPU_LAUNCH(kernel, blocks, threads, shared, stream, ...)        \
  do {                                                                  \
    kernel<<<(blocks), (threads), (shared), (stream)>>>(__VA_ARGS__);   \
    ::pcl_attention::gpu::check_launch(cudaPeekAtLastError(), #kernel); \
  } while (false)
#endif

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kWarp = 32, kEveryLane = 0xFFFFFFFFU;
constexpr std::size_t kMostBlocks = 2147483647;  // of a grid's first dimension

#ifndef PCL_ATTENTION_CUDA_EMULATION
/// Return sin(πx) and cos(πx).
__device__ inline float sin_pi(float x) { return sinpif(x); }
__device__ inline float cos_pi(float x) { return cospif(x); }

/// @throws std::runtime_error naming the kernel that did not start.
inline void check_launch(cudaError_t status, const char* kernel) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA kernel ") + kernel + ": " + cudaGetErrorString(status));
}
#endif

/// Returns ⌈items / per_block⌉. @throws std::invalid_argument if a grid cannot have so many blocks.
inline unsigned num_blocks(std::size_t items, std::size_t per_block) {
  const std::size_t blocks = (items + per_block - 1) / per_block;
  if (blocks > kMostBlocks)
    throw std::invalid_argument("CUDA grid of " + std::to_string(blocks) + " blocks, at most 2^31 - 1");
  return static_cast<unsigned>(blocks);
}

/// Returns the number of the calling thread among those of all blocks.
__device__ inline std::size_t global_thread() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }

__device__ inline float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(kEveryLane, x, step);
  return x;
}
__device__ inline float warp_max(float x) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(kEveryLane, x, step));
  return x;
}

__device__ inline float minus_infinity() { return -INFINITY; }

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
