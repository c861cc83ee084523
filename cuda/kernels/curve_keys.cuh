// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/order.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kKeyThreads = 256;
constexpr std::uint64_t kNotKept = std::uint64_t{1} << 63;

/// Returns the clamped index of a coordinate; product and difference are rounded one by one.
__device__ inline std::uint32_t cell_of(const Cells& cells, float x, unsigned axis) {
  const double offset = __dsub_rn(static_cast<double>(x), cells.low[axis]);
  const double index = floor(__dmul_rn(offset, cells.inverse)) + cells.first;
  return static_cast<std::uint32_t>(fmin(fmax(index, 0.0), 2097151.0));
}

/// Returns 21 bits with two zero bits between neighbours.
__device__ inline std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x001F00000000FFFF;
  x = (x | x << 16) & 0x001F0000FF0000FF;
  x = (x | x << 8) & 0x100F00F00F00F00F;
  x = (x | x << 4) & 0x10C30C30C30C30C3;
  return (x | x << 2) & 0x1249249249249249;
}

/// Flips the lower bits of x where y has its bit `top`, and swaps those of x and y elsewhere.
__device__ inline void flip_or_swap(std::uint32_t& x, std::uint32_t& y, std::uint32_t top) {
  const std::uint32_t lower = top - 1, differing = (x ^ y) & lower;
  if ((y & top) != 0) {
    x ^= lower;
  } else {
    x ^= differing;
    y ^= differing;
  }
}

/// Turns cells into what interleaves to the place along a Hilbert curve.
/// Source: Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
__device__ inline void to_hilbert(std::uint32_t* cell) {
  for (std::uint32_t top = 1U << 20; top > 1; top >>= 1) {
    if ((cell[0] & top) != 0) cell[0] ^= top - 1;
    flip_or_swap(cell[0], cell[1], top);
    flip_or_swap(cell[0], cell[2], top);
  }
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t above = cell[2] >> 1;  // each bit the parity of the higher ones
  for (unsigned shift = 1; shift <= 16; shift *= 2) above ^= above >> shift;
  for (unsigned axis = 0; axis < 3; ++axis) cell[axis] ^= above;
}

__global__ void curve_keys_kernel(CurveKeys p) {
  const std::size_t i = global_thread();
  if (i >= p.n) return;
  std::uint32_t cell[3];
  for (unsigned axis = 0; axis < 3; ++axis)
    cell[axis] = cell_of(p.cells, p.positions[i * p.stride + axis], axis);
  if (p.hilbert) to_hilbert(cell);
  const std::uint64_t key = spread_bits(cell[0]) << 2 | spread_bits(cell[1]) << 1 | spread_bits(cell[2]);
  const bool kept = p.keep == nullptr || p.keep[i] != 0;
  p.keys[i] = kept ? key : key | kNotKept;
  p.rows[i] = static_cast<std::uint32_t>(i);
}

void curve_keys(const CurveKeys& keys, Stream stream) {
  if (keys.n == 0) return;
  GPU_LAUNCH(curve_keys_kernel, num_blocks(keys.n, kKeyThreads), kKeyThreads, 0, stream, keys);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
