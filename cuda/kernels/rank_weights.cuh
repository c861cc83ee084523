// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/sum_points.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Runs of ranks.
struct SegmentEntries {
  struct Point {
    std::size_t slot;
  };
  std::size_t num_ranks, used;  // n, min(slots, n)

  __device__ Point point(const PointSums& p, unsigned, std::size_t row) const {
    return {((rank_of(p.surface, row) + 1) * used - 1) / num_ranks};
  }
  __device__ float entry(const PointSums&, unsigned, const Point& point, unsigned slot) const {
    return slot == point.slot ? 1.0F : 0.0F;
  }
};

/// cos(π m (2r + 1) / 2n), whole turns taken off before anything is rounded.
struct CosineEntries {
  struct Point {
    std::size_t odd;  // 2r + 1
  };
  std::size_t num_ranks;

  __device__ Point point(const PointSums& p, unsigned, std::size_t row) const {
    return {2 * rank_of(p.surface, row) + 1};
  }
  __device__ float entry(const PointSums&, unsigned, const Point& point, unsigned slot) const {
    const std::size_t turn = 4 * num_ranks, at = slot * point.odd % turn;
    const std::size_t nearest = 2 * at > turn ? turn - at : at;  // cos(−x) = cos(x)
    return cos_pi(static_cast<float>(static_cast<double>(nearest) / static_cast<double>(2 * num_ranks)));
  }
};

void sum_segments(const PointSums& sums, Stream stream) {
  const std::size_t n = sums.surface.num_ranks();
  sum_points(sums, SegmentEntries{n, sums.slots < n ? sums.slots : n}, stream);
}

void sum_cosines(const PointSums& sums, Stream stream) {
  sum_points(sums, CosineEntries{sums.surface.num_ranks()}, stream);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
