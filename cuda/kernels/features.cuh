// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/summary.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Returns φ_f(x · range), u_D = range; of elu x is shifted by −range instead where it is negative.
__device__ inline float feature_of(const FeatureMap& map, const float* x, float range, unsigned f) {
  if (map.terms == nullptr) return x[f] > 0.0F ? x[f] + 1.0F : expf(x[f] - range);
  const FeatureTerm term = map.terms[f];
  const float a = term.a == map.width ? range : x[term.a] * range;
  const float b = term.b == map.width ? range : x[term.b] * range;
  return term.weight * a * b;
}

/// The range that changes nothing.
__device__ inline float no_range(const FeatureMap& map) { return map.terms == nullptr ? 0.0F : 1.0F; }

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
