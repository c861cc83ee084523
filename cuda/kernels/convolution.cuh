// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/summary.h"
#include "kernels/surface.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kConvolutionThreads = 256;

/// A thread per number of a row: taps one after another, each summed from zero.
__global__ void convolve_kernel(Convolution p, std::size_t num_rows) {
  const std::size_t i = global_thread(), inner = std::size_t{p.heads} * p.width, row = i / inner;
  if (row >= num_rows) return;
  const std::size_t head = i % inner / p.width, out = i % p.width;
  const float* const map = p.maps[head];
  float sum = p.bias[head][out];
  for (std::size_t tap = 0; tap < p.stride; ++tap) {
    const std::size_t point = row_of(p.surface, row * p.stride + tap);
    if (!takes_part(p.surface, point)) continue;
    const float* const x = p.x + point * inner + head * p.width;
    float of_tap = 0.0F;
    for (std::size_t c = 0; c < p.width; ++c)
      of_tap = fmaf(x[c], map[(tap * p.width + c) * p.width + out], of_tap);
    sum += of_tap;
  }
  p.rows[i] = sum;
}

void convolve(const Convolution& convolution, Stream stream) {
  const std::size_t rows = convolution.surface.num_ranks() / convolution.stride;
  const std::size_t count = rows * convolution.heads * convolution.width;
  if (count == 0) return;
  GPU_LAUNCH(convolve_kernel, num_blocks(count, kConvolutionThreads), kConvolutionThreads, 0, stream,
             convolution, rows);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
