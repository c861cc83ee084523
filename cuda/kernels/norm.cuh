// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/rows.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// y = LN(x), by one warp; y may be x. Each lane reads and writes its own channels.
__device__ inline void norm_row(const float* x, float* y, const NormMap& norm, unsigned width,
                                unsigned lane) {
  const float inverse_width = 1.0F / static_cast<float>(width);
  float mean = 0.0F, variance = 0.0F;
  for (unsigned c = lane; c < width; c += kWarp) mean += x[c];
  mean = warp_sum(mean) * inverse_width;
  for (unsigned c = lane; c < width; c += kWarp) variance = fmaf(x[c] - mean, x[c] - mean, variance);
  variance = warp_sum(variance) * inverse_width;
  const float inverse = 1.0F / sqrtf(variance + 1e-5F);
  for (unsigned c = lane; c < width; c += kWarp)
    y[c] = fmaf((x[c] - mean) * inverse, norm.weight[c], norm.bias[c]);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
