// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/rows.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Returns gelu(x) = x/2 · (1 + erf(x/√2)), relu(x), or x.
__device__ inline float finished(float x, Finish finish) {
  if (finish == Finish::gelu) return 0.5F * x * (1.0F + erff(x * 0.70710678118654752F));
  if (finish == Finish::relu) return fmaxf(x, 0.0F);
  return x;
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
