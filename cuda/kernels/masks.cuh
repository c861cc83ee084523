// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/surface.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kMaskThreads = 256;

__global__ void mask_bias_kernel(SurfaceView surface, std::size_t total, float* bias) {
  const std::size_t i = global_thread();
  if (i < total) bias[i] = takes_part(surface, i) ? 0.0F : minus_infinity();
}

void mask_bias(const SurfaceView& surface, float* bias, Stream stream) {
  if (surface.total() == 0) return;
  GPU_LAUNCH(mask_bias_kernel, num_blocks(surface.total(), kMaskThreads), kMaskThreads, 0, stream, surface,
             surface.total(), bias);
}

__global__ void zero_left_out_kernel(SurfaceView surface, std::size_t count, float* rows, unsigned width) {
  const std::size_t i = global_thread();
  if (i < count && !takes_part(surface, i / width)) rows[i] = 0.0F;
}

void zero_left_out(const SurfaceView& surface, float* rows, std::uint32_t width, Stream stream) {
  const std::size_t count = surface.total() * width;
  if (count == 0) return;
  GPU_LAUNCH(zero_left_out_kernel, num_blocks(count, kMaskThreads), kMaskThreads, 0, stream, surface, count,
             rows, width);
}

__global__ void gather_rows_kernel(GatherRows p) {
  const std::size_t i = global_thread();
  if (i < p.count * p.width) p.to[i] = p.from[std::size_t{p.row[i / p.width]} * p.width + i % p.width];
}

void gather_rows(const GatherRows& rows, Stream stream) {
  if (rows.count == 0 || rows.width == 0) return;
  GPU_LAUNCH(gather_rows_kernel, num_blocks(rows.count * rows.width, kMaskThreads), kMaskThreads, 0, stream,
             rows);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
