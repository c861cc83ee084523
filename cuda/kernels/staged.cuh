// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/answer.h"
#include "kernels/tile.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

// Slots are taken 32 at a time, a lane each. Their keys and values lie in shared memory where a head's are
// narrow, else they are read where they are.

constexpr unsigned kStagedSlots = kWarp;
constexpr unsigned kMostStaged = 128;  // numbers of a slot's key and value

__host__ __device__ inline bool stages(unsigned key_width, unsigned value_width) {
  return key_width + 1 + value_width <= kMostStaged;
}

/// Returns the floats of shared memory for keys of key_width numbers (0: features) and values.
__host__ __device__ inline std::size_t staged_size(unsigned key_width, unsigned value_width) {
  return stages(key_width, value_width) ? std::size_t{kStagedSlots} * (key_width + 1 + value_width) : 0;
}

/// Rows of some slots of one head, in shared or device memory.
struct SlotRows {
  const float* data;
  std::size_t stride;
};

/// Returns rows [first, first + count) of one head, copied to `shared` if it is not null. Barriers are the
/// caller's.
__device__ inline SlotRows stage(const float* from, std::size_t from_stride, unsigned width,
                                 std::size_t first, unsigned count, float* shared, unsigned shared_stride) {
  const float* const rows = from + first * from_stride;
  if (shared == nullptr) return {rows, from_stride};
  for (unsigned i = threadIdx.x; i < count * width; i += kTileThreads)
    shared[i / width * shared_stride + i % width] = rows[i / width * from_stride + i % width];
  return {shared, shared_stride};
}

/// out_c = scale · out_c + Σ_j weights_j values_jc over the slots of a block, by one warp.
__device__ inline void add_values(const float* weights, const SlotRows& values, unsigned count,
                                  unsigned width, float scale, float* out) {
  for (unsigned c = lane_index(); c < width; c += kWarp) {
    float sum = 0.0F;
    for (unsigned j = 0; j < count; ++j) sum = fmaf(weights[j], values.data[j * values.stride + c], sum);
    out[c] = fmaf(out[c], scale, sum);
  }
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
