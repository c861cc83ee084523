// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/summary.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kHeadThreads = 256;
constexpr double kLeastShare = 1e-5;  // of a denominator in its bound; below it counts as zero

/// Returns the largest |z| of a head, known to all threads of the block.
__device__ inline double largest_mass(const double* sums, std::size_t columns, unsigned count,
                                      double* shared) {
  double most = 0.0;
  for (unsigned f = threadIdx.x; f < count; f += blockDim.x)
    most = fmax(most, fabs(sums[f * columns + columns - 1]));
  shared[threadIdx.x] = most;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = fmax(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  return shared[0];
}

/// Returns Σ ‖k‖² from the sums of squared channels: z_aa = √square · Σ k_a².
__device__ inline double key_squares(const FeatureMap& map, const double* sums, std::size_t columns,
                                     double square) {
  double sum = 0.0;
  for (unsigned a = 0, f = 0; a < map.width; f += map.width - a, ++a) sum += sums[f * columns + columns - 1];
  return sum / sqrt(square);
}

/// A block per head.
__global__ void __launch_bounds__(kHeadThreads) finish_features_kernel(FinishFeatures p) {
  GPU_SHARED(double, shared, [kHeadThreads]);
  const std::size_t columns = p.value_width + std::size_t{1}, head = blockIdx.x;
  const double* const sums = p.sums + head * p.map.count * columns;
  const double most = largest_mass(sums, columns, p.map.count, shared);
  const double scale = most > 0.0 ? ldexp(1.0, -ilogb(most)) : 1.0;
  for (std::size_t i = threadIdx.x; i < p.map.count * columns; i += blockDim.x) {
    const std::size_t f = i / columns, column = i % columns;
    const float value = static_cast<float>(sums[i] * scale);
    if (column == p.value_width)
      p.mass[head * p.map.count + f] = value;
    else
      p.values[(f * p.heads + head) * p.value_width + column] = value;
  }
  if (threadIdx.x != 0) return;
  double least = 0.0;
  if (p.square != 0.0) least = kLeastShare * p.square * key_squares(p.map, sums, columns, p.square) * scale;
  p.least[head] = static_cast<float>(least);
}

void finish_features(const FinishFeatures& finish, Stream stream) {
  if (finish.heads == 0) return;
  GPU_LAUNCH(finish_features_kernel, finish.heads, kHeadThreads, 0, stream, finish);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
