// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/order.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kBoxThreads = 256;

/// Reduces each thread's box [6] to that of the block, which thread 0 writes.
__device__ inline void reduce_box(float (*boxes)[6], const float* mine, float* out) {
  for (unsigned i = 0; i < 6; ++i) boxes[threadIdx.x][i] = mine[i];
  __syncthreads();
  for (unsigned half = kBoxThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      for (unsigned axis = 0; axis < 3; ++axis) {
        float* const a = boxes[threadIdx.x];
        const float* const b = boxes[threadIdx.x + half];
        a[axis] = fminf(a[axis], b[axis]);
        a[3 + axis] = fmaxf(a[3 + axis], b[3 + axis]);
      }
    __syncthreads();
  }
  if (threadIdx.x < 6) out[threadIdx.x] = boxes[0][threadIdx.x];
}

__global__ void box_of_rows_kernel(BoxOfRows p) {
  GPU_SHARED(float, boxes, [kBoxThreads][6]);
  float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (std::size_t row = global_thread(); row < p.n; row += std::size_t{gridDim.x} * kBoxThreads) {
    if (p.keep != nullptr && p.keep[row] == 0) continue;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const float x = p.positions[row * p.stride + axis];
      box[axis] = fminf(box[axis], x);
      box[3 + axis] = fmaxf(box[3 + axis], x);
    }
  }
  reduce_box(boxes, box, p.partial + std::size_t{blockIdx.x} * 6);
}

__global__ void box_of_boxes_kernel(BoxOfRows p, unsigned blocks) {
  GPU_SHARED(float, boxes, [kBoxThreads][6]);
  float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (unsigned i = 0; threadIdx.x < blocks && i < 6; ++i) box[i] = p.partial[threadIdx.x * 6 + i];
  reduce_box(boxes, box, p.box);
}

void box_of_rows(const BoxOfRows& rows, Stream stream) {
  static_assert(kBoxBlocks <= kBoxThreads);
  const std::size_t wanted = (rows.n + kBoxThreads - 1) / kBoxThreads;
  const unsigned blocks = static_cast<unsigned>(wanted == 0 ? 1 : wanted < kBoxBlocks ? wanted : kBoxBlocks);
  GPU_LAUNCH(box_of_rows_kernel, blocks, kBoxThreads, 0, stream, rows);
  GPU_LAUNCH(box_of_boxes_kernel, 1, kBoxThreads, 0, stream, rows, blocks);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
