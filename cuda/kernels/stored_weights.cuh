// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/sum_points.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Rows of a stored Eᵀ, or between two of them: row r lies at (r + ½) · N/n − ½ = ((2r + 1) N − n) / 2n.
struct StoredEntries {
  struct Point {
    std::size_t low, high;
    float of_low, of_high;
  };
  StoredWeights stored;
  std::size_t num_ranks;

  __device__ Point point(const PointSums& p, unsigned, std::size_t row) const {
    const std::size_t rank = rank_of(p.surface, row), length = stored.length;
    if (!stored.resample) return {rank, rank, 1.0F, 0.0F};
    const std::size_t last = length - 1, numerator = (2 * rank + 1) * length;
    const std::size_t whole = numerator > num_ranks ? (numerator - num_ranks) / (2 * num_ranks) : 0;
    if (numerator <= num_ranks || whole >= last) {
      const std::size_t end = numerator <= num_ranks ? 0 : last;
      return {end, end, ratio(), 0.0F};
    }
    const std::size_t rest = (numerator - num_ranks) % (2 * num_ranks);
    const float part = static_cast<float>(static_cast<double>(rest) / static_cast<double>(2 * num_ranks));
    return {whole, whole + 1, ratio() * (1.0F - part), ratio() * part};
  }
  __device__ float entry(const PointSums& p, unsigned batch, const Point& point, unsigned slot) const {
    const float* const map = stored.maps[batch];
    const float low = point.of_low * map[point.low * p.slots + slot];
    return point.of_high == 0.0F ? low : fmaf(point.of_high, map[point.high * p.slots + slot], low);
  }
  __device__ float ratio() const {
    return static_cast<float>(static_cast<double>(stored.length) / static_cast<double>(num_ranks));
  }
};

void sum_stored(const PointSums& sums, const StoredWeights& weights, Stream stream) {
  sum_points(sums, StoredEntries{weights, sums.surface.num_ranks()}, stream);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
