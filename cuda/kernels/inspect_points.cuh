// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/point_numbers.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kExtentThreads = 256;

__device__ inline PointExtent no_points() {
  return {{INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}, 0.0};
}

__device__ inline void add_extent(PointExtent& extent, const PointExtent& other) {
  for (unsigned i = 0; i < 6; ++i) extent.lowest[i] = fmin(extent.lowest[i], other.lowest[i]);
  extent.count += other.count;
}

/// Writes the block's extent: what its threads found, added.
__device__ inline void reduce_extent(PointExtent* shared, const PointExtent& mine, PointExtent* out) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = kExtentThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) add_extent(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = shared[0];  // and nobody else writes there
}

/// Returns true if the point is valid, then also where it is.
__device__ inline bool inspect_point(const InspectPoints& p, std::size_t point, PointExtent& place) {
  double x[3] = {0.0, 0.0, 0.0};
  bool valid = true;
  for (unsigned c = 0; c < p.points.num_columns; ++c) {
    const PointColumn& column = p.points.columns[c];
    const double number = number_of(p.points, point, column);
    valid = valid && fabs(number * column.scale) <= column.limit;
    if (column.axis >= 0) x[column.axis] = number;
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    place.lowest[axis] = x[axis];
    place.lowest[3 + axis] = -x[axis];
  }
  place.count = 1.0;
  return valid && !(p.zero_is_invalid && x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0);
}

__global__ void inspect_points_kernel(InspectPoints p) {
  GPU_SHARED(PointExtent, shared, [kExtentThreads]);
  PointExtent valid = no_points(), kept = no_points(), place;
  for (std::size_t i = global_thread(); i < p.points.n; i += std::size_t{gridDim.x} * kExtentThreads) {
    const bool is_valid = inspect_point(p, i, place);
    p.keys[i] = is_valid ? 0 : 1;
    p.rows[i] = static_cast<std::uint32_t>(i);
    if (!is_valid) continue;
    add_extent(valid, place);
    if (p.mask == nullptr || p.mask[i] != 0) add_extent(kept, place);
  }
  reduce_extent(shared, valid, p.partial + blockIdx.x);
  reduce_extent(shared, kept, p.partial + kExtentBlocks + blockIdx.x);
}

__global__ void merge_extents_kernel(InspectPoints p, unsigned blocks) {
  GPU_SHARED(PointExtent, shared, [kExtentThreads]);
  for (unsigned which = 0; which < 2; ++which) {
    const PointExtent mine =
        threadIdx.x < blocks ? p.partial[which * kExtentBlocks + threadIdx.x] : no_points();
    reduce_extent(shared, mine, p.extent + which);
  }
}

void inspect_points(const InspectPoints& points, Stream stream) {
  static_assert(kExtentBlocks <= kExtentThreads);
  const std::size_t wanted = (points.points.n + kExtentThreads - 1) / kExtentThreads;
  const unsigned blocks = static_cast<unsigned>(wanted == 0              ? 1
                                                : wanted < kExtentBlocks ? wanted
                                                                         : kExtentBlocks);
  GPU_LAUNCH(inspect_points_kernel, blocks, kExtentThreads, 0, stream, points);
  GPU_LAUNCH(merge_extents_kernel, 1, kExtentThreads, 0, stream, points, blocks);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
