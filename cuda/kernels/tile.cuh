// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/finish.cuh"
#include "kernels/norm.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

// Steps of a layer on the rows of one block in shared memory. Each is called by all threads and ends with a
// barrier. What becomes of a row does not depend on where it stands in the tile.

constexpr unsigned kTileThreads = 256, kTileWarps = kTileThreads / kWarp;
constexpr unsigned kRowsOfWarp = 4;  // that share a weight as it is read

/// Rows in shared memory, `width` numbers each.
struct TileRows {
  float* data;
  unsigned width, count;

  __device__ float* row(unsigned i) const { return data + std::size_t{i} * width; }
};

__device__ inline unsigned lane_index() { return threadIdx.x % kWarp; }
__device__ inline unsigned warp_index() { return threadIdx.x / kWarp; }

/// y = finish(W x + b), or y += W x + b. A warp takes 4 rows and 32 outputs at a time; y is not x.
__device__ inline void tile_linear(const LinearMap& map, const TileRows& x, const TileRows& y, bool add,
                                   Finish finish) {
  const unsigned pieces = (map.out + kWarp - 1) / kWarp, groups = (x.count + kRowsOfWarp - 1) / kRowsOfWarp;
  for (unsigned unit = warp_index(); unit < groups * pieces; unit += kTileWarps) {
    const unsigned first = unit / pieces * kRowsOfWarp, out = unit % pieces * kWarp + lane_index();
    if (out >= map.out) continue;
    const float* rows[kRowsOfWarp];
    for (unsigned i = 0; i < kRowsOfWarp; ++i) rows[i] = x.row(first + i < x.count ? first + i : x.count - 1);
    float sum[kRowsOfWarp] = {};
    for (unsigned c = 0; c < map.in; ++c) {
      const float weight = map.weight[std::size_t{c} * map.out + out];
      for (unsigned i = 0; i < kRowsOfWarp; ++i) sum[i] = fmaf(rows[i][c], weight, sum[i]);
    }
    const float bias = map.bias == nullptr ? 0.0F : map.bias[out];
    for (unsigned i = 0; i < kRowsOfWarp && first + i < x.count; ++i) {
      float* const to = y.row(first + i) + out;
      *to = finished(add ? *to + sum[i] + bias : sum[i] + bias, finish);
    }
  }
  __syncthreads();
}

/// y = LN(x); y may be x.
__device__ inline void tile_norm(const NormMap& norm, const TileRows& x, const TileRows& y) {
  for (unsigned i = warp_index(); i < x.count; i += kTileWarps)
    norm_row(x.row(i), y.row(i), norm, x.width, lane_index());
  __syncthreads();
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
