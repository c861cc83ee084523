// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/order.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kSpreadThreads = 512;
constexpr double kSpreadRounding = 1e-12;  // of a mean: what equal numbers may seem to deviate by

/// Replaces each thread's four sums by those of the block, added in one sequence.
__device__ inline void sum_of_block(double (*shared)[4], double* sums) {
  for (unsigned i = 0; i < 4; ++i) shared[threadIdx.x][i] = sums[i];
  __syncthreads();
  for (unsigned half = kSpreadThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      for (unsigned i = 0; i < 4; ++i) shared[threadIdx.x][i] += shared[threadIdx.x + half][i];
    __syncthreads();
  }
  for (unsigned i = 0; i < 4; ++i) sums[i] = shared[0][i];
  __syncthreads();
}

/// Sums (x − from)^power of the kept rows, and counts them. The same bits each time.
__device__ inline void sum_of_kept(const BoxOfRows& p, const double* from, bool squares, double* sums) {
  for (unsigned i = 0; i < 4; ++i) sums[i] = 0.0;
  for (std::size_t row = threadIdx.x; row < p.n; row += kSpreadThreads) {
    if (p.keep != nullptr && p.keep[row] == 0) continue;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const double x = static_cast<double>(p.positions[row * p.stride + axis]) - from[axis];
      sums[axis] += squares ? x * x : x;
    }
    sums[3] += 1.0;
  }
}

/// One block: first the mean, then the squares around it.
__global__ void __launch_bounds__(kSpreadThreads) spread_of_rows_kernel(BoxOfRows p) {
  GPU_SHARED(double, shared, [kSpreadThreads][4]);
  const double zero[3] = {0.0, 0.0, 0.0};
  double sums[4], squares[4], mean[3];
  sum_of_kept(p, zero, false, sums);
  sum_of_block(shared, sums);
  const double count = fmax(sums[3], 1.0);
  for (unsigned axis = 0; axis < 3; ++axis) mean[axis] = sums[axis] / count;
  sum_of_kept(p, mean, true, squares);
  sum_of_block(shared, squares);
  if (threadIdx.x >= 3) return;
  const unsigned axis = threadIdx.x;
  double half = sqrt(3.0 * squares[axis] / count);
  if (half <= kSpreadRounding * fabs(mean[axis])) half = 0.0;
  p.box[axis] = static_cast<float>(mean[axis] - half);
  p.box[3 + axis] = static_cast<float>(mean[axis] + half);
}

void spread_of_rows(const BoxOfRows& rows, Stream stream) {
  GPU_LAUNCH(spread_of_rows_kernel, 1, kSpreadThreads, 0, stream, rows);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
