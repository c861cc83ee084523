// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/summary.h"
#include "kernels/surface.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kSumTile = 64;  // slots and columns of a block
constexpr unsigned kSumRows = 32;  // rows in shared memory at a time
constexpr unsigned kSumSide = 16;  // threads of a block: side × side, each 4 × 4 sums
constexpr unsigned kSumThreads = kSumSide * kSumSide;
static_assert(kTilePoints % kSumRows == 0 && kLeastChunk % kTilePoints == 0);

/// Which part of which sums a block takes.
struct SumPart {
  std::size_t chunk, first_row, end_row;
  unsigned batch, first_slot, first_column;
};

/// Columns are the channels of a batch and Σ e behind them.
__device__ inline SumPart part_of_block(const PointSums& p, std::size_t rows_of_chunk, std::size_t total) {
  const unsigned column_tiles = p.channels / kSumTile + 1, slot_tiles = (p.slots + kSumTile - 1) / kSumTile;
  unsigned rest = blockIdx.x;
  SumPart part;
  part.first_column = rest % column_tiles * kSumTile;
  rest /= column_tiles;
  part.first_slot = rest % slot_tiles * kSumTile;
  rest /= slot_tiles;
  part.batch = rest % p.batches;
  part.chunk = rest / p.batches;
  part.first_row = part.chunk * rows_of_chunk;
  part.end_row = part.first_row + rows_of_chunk < total ? part.first_row + rows_of_chunk : total;
  return part;
}

/// Returns x of a row that takes part; 1 in the column of Σ e.
__device__ inline float summed_value(const PointSums& p, const SumPart& part, std::size_t row,
                                     unsigned column) {
  if (column > p.channels) return 0.0F;
  if (column == p.channels) return 1.0F;
  return p.x[row * p.x_stride + std::size_t{part.batch} * p.batch_step + column];
}

using SumRows = float[kSumRows][kSumTile];

/// Writes which rows count, and what the entries of each share. A thread per row.
template <class Weights>
__device__ inline void load_points(const PointSums& p, const Weights& weights, const SumPart& part,
                                   std::size_t first, typename Weights::Point* points, bool* counts) {
  if (threadIdx.x >= kSumRows) return;
  const std::size_t row = first + threadIdx.x;
  counts[threadIdx.x] = row < part.end_row && takes_part(p.surface, row);
  if (counts[threadIdx.x]) points[threadIdx.x] = weights.point(p, part.batch, row);
}

template <class Weights>
__device__ inline void load_rows(const PointSums& p, const Weights& weights, const SumPart& part,
                                 std::size_t first, const typename Weights::Point* points, const bool* counts,
                                 SumRows& e, SumRows& x) {
  for (unsigned i = threadIdx.x; i < kSumRows * kSumTile; i += kSumThreads) {
    const unsigned row = i / kSumTile, at = i % kSumTile, slot = part.first_slot + at;
    const bool used = counts[row] && slot < p.slots;
    e[row][at] = used ? weights.entry(p, part.batch, points[row], slot) : 0.0F;
    x[row][at] = counts[row] ? summed_value(p, part, first + row, part.first_column + at) : 0.0F;
  }
}

__device__ inline void add_rows(const SumRows& e, const SumRows& x, float (&sum)[4][4]) {
  const unsigned column = threadIdx.x % kSumSide, slot = threadIdx.x / kSumSide;
  for (unsigned row = 0; row < kSumRows; ++row)
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < 4; ++j)
        sum[i][j] = fmaf(e[row][slot + i * kSumSide], x[row][column + j * kSumSide], sum[i][j]);
}

__device__ inline void store_sums(const PointSums& p, const SumPart& part, const double (&sum)[4][4]) {
  const std::size_t columns = p.channels + std::size_t{1};
  double* const out = p.partial + (part.chunk * p.batches + part.batch) * p.slots * columns;
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j) {
      const unsigned slot = part.first_slot + threadIdx.x / kSumSide + i * kSumSide;
      const unsigned column = part.first_column + threadIdx.x % kSumSide + j * kSumSide;
      if (slot < p.slots && column < columns) out[slot * columns + column] = sum[i][j];
    }
}

/// Adds e · x for each chunk; thread (x, y) the slots y, y + 16 … and the columns x, x + 16 … Weights says
/// what e is:
///   Point point(sums, batch, row)            what the entries of a row share
///   float entry(sums, batch, point, slot)    e
template <class Weights>
__global__ void __launch_bounds__(kSumThreads)
    sum_points_kernel(PointSums p, Weights weights, std::size_t rows_of_chunk, std::size_t total) {
  GPU_SHARED(typename Weights::Point, points, [kSumRows]);
  GPU_SHARED(bool, counts, [kSumRows]);
  GPU_SHARED(float, e, [kSumRows][kSumTile]);
  GPU_SHARED(float, x, [kSumRows][kSumTile]);
  const SumPart part = part_of_block(p, rows_of_chunk, total);
  double sum[4][4] = {};
  for (std::size_t tile = part.first_row; tile < part.end_row; tile += kTilePoints) {
    float tile_sum[4][4] = {};
    for (std::size_t first = tile; first < tile + kTilePoints && first < part.end_row; first += kSumRows) {
      load_points(p, weights, part, first, points, counts);  // others may still add rows, which reads e and x
      __syncthreads();
      load_rows(p, weights, part, first, points, counts, e, x);
      __syncthreads();
      add_rows(e, x, tile_sum);
    }
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < 4; ++j) sum[i][j] += static_cast<double>(tile_sum[i][j]);
  }
  store_sums(p, part, sum);
}

template <class Weights>
void sum_points(const PointSums& sums, const Weights& weights, Stream stream) {
  const std::size_t total = sums.surface.total();
  if (total == 0 || sums.slots == 0 || sums.batches == 0) return;
  const std::size_t tiles =
      (sums.channels / kSumTile + std::size_t{1}) * ((sums.slots + kSumTile - 1) / kSumTile);
  GPU_LAUNCH(sum_points_kernel<Weights>, num_blocks(num_chunks(total) * sums.batches * tiles, 1), kSumThreads,
             0, stream, sums, weights, chunk_rows(total), total);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
