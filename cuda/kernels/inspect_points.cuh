// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/point_numbers.cuh"
#include "kernels/reduce_block.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

__device__ inline PointExtent no_points() {
  return {{INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}, 0.0};
}

__device__ inline void add_extent(PointExtent& extent, const PointExtent& other) {
  for (unsigned i = 0; i < 6; ++i) extent.lowest[i] = fmin(extent.lowest[i], other.lowest[i]);
  extent.count += other.count;
}

/// Writes the block's extent: what its threads found, added.
__device__ inline void reduce_extent(PointExtent* shared, const PointExtent& mine, PointExtent* out) {
  reduce_block(shared, mine, add_extent);
  if (threadIdx.x == 0) *out = shared[0];
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
  GPU_SHARED(PointExtent, shared, [kReducedThreads]);
  PointExtent valid = no_points(), kept = no_points(), place;
  for (std::size_t i = global_thread(); i < p.points.n; i += std::size_t{gridDim.x} * kReducedThreads) {
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
  GPU_SHARED(PointExtent, shared, [kReducedThreads]);
  for (unsigned which = 0; which < 2; ++which) {
    const PointExtent mine =
        threadIdx.x < blocks ? p.partial[which * kExtentBlocks + threadIdx.x] : no_points();
    reduce_extent(shared, mine, p.extent + which);
  }
}

void inspect_points(const InspectPoints& points, Stream stream) {
  static_assert(kExtentBlocks <= kReducedThreads);
  const unsigned blocks = num_reduced_blocks(points.points.n, kExtentBlocks);
  GPU_LAUNCH(inspect_points_kernel, blocks, kReducedThreads, 0, stream, points);
  GPU_LAUNCH(merge_extents_kernel, 1, kReducedThreads, 0, stream, points, blocks);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
