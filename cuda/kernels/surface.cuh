// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/rows.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Returns true if row i < total is summarised.
__device__ inline bool takes_part(const SurfaceView& surface, std::size_t i) {
  if (i >= surface.n) return true;
  return i < surface.num_ranked && (surface.keep == nullptr || surface.keep[i] != 0);
}

/// Returns the rank of a row that takes part, and the row of a rank.
__device__ inline std::size_t rank_of(const SurfaceView& surface, std::size_t i) {
  return i < surface.n ? i : surface.num_ranked + i - surface.n;
}
__device__ inline std::size_t row_of(const SurfaceView& surface, std::size_t rank) {
  return rank < surface.num_ranked ? rank : surface.n + rank - surface.num_ranked;
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
