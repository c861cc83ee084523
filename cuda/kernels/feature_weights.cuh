// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/features.cuh"
#include "kernels/sum_points.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// φ_f(k) of a head.
struct FeatureEntries {
  struct Point {
    const float* key;
  };
  FeatureWeights weights;

  __device__ Point point(const PointSums&, unsigned batch, std::size_t row) const {
    return {weights.keys + row * weights.key_stride + std::size_t{batch} * weights.map.width};
  }
  __device__ float entry(const PointSums&, unsigned, const Point& point, unsigned slot) const {
    return feature_of(weights.map, point.key, no_range(weights.map), slot);
  }
};

void sum_features(const PointSums& sums, const FeatureWeights& weights, Stream stream) {
  sum_points(sums, FeatureEntries{weights}, stream);
}

std::uint32_t num_feature_terms(std::uint32_t width, double linear, double constant) {
  return width * (width + 1) / 2 + (linear != 0.0 ? width : 0) + (constant != 0.0 ? 1 : 0);
}

void fill_feature_terms(std::uint32_t width, double square, double linear, double constant,
                        FeatureTerm* terms) {
  for (std::uint32_t a = 0; a < width; ++a)
    for (std::uint32_t b = a; b < width; ++b)
      *terms++ = {a, b, static_cast<float>(std::sqrt(a == b ? square : 2.0 * square))};
  for (std::uint32_t a = 0; linear != 0.0 && a < width; ++a)
    *terms++ = {a, width, static_cast<float>(std::sqrt(linear))};
  if (constant != 0.0) *terms = {width, width, static_cast<float>(std::sqrt(constant))};
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
