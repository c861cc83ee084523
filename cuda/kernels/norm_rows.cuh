// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/norm.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kNormRows = 8;  // of a block, a warp each

__global__ void norm_rows_kernel(NormRows p) {
  const std::size_t row = std::size_t{blockIdx.x} * kNormRows + threadIdx.x / kWarp;
  if (row >= p.rows) return;
  norm_row(p.x + row * p.width, p.y + row * p.width, p.norm, p.width, threadIdx.x % kWarp);
}

void norm_rows(const NormRows& rows, Stream stream) {
  if (rows.rows == 0 || rows.width == 0) return;
  GPU_LAUNCH(norm_rows_kernel, num_blocks(rows.rows, kNormRows), kNormRows * kWarp, 0, stream, rows);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
