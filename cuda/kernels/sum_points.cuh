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

/// Adds e · x for each chunk. Weights says what e is:
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
  const unsigned column_of_thread = threadIdx.x % kSumSide, slot_of_thread = threadIdx.x / kSumSide;
  double sum[4][4] = {};
  for (std::size_t tile = part.first_row; tile < part.end_row; tile += kTilePoints) {
    float tile_sum[4][4] = {};
    for (std::size_t first = tile; first < tile + kTilePoints && first < part.end_row; first += kSumRows) {
      if (threadIdx.x < kSumRows) {  // others may still multiply, which reads e and x alone
        const std::size_t row = first + threadIdx.x;
        counts[threadIdx.x] = row < part.end_row && takes_part(p.surface, row);
        if (counts[threadIdx.x]) points[threadIdx.x] = weights.point(p, part.batch, row);
      }
      __syncthreads();
      for (unsigned i = threadIdx.x; i < kSumRows * kSumTile; i += kSumThreads) {
        const unsigned row = i / kSumTile, at = i % kSumTile, slot = part.first_slot + at;
        const bool used = counts[row] && slot < p.slots;
        e[row][at] = used ? weights.entry(p, part.batch, points[row], slot) : 0.0F;
        x[row][at] = counts[row] ? summed_value(p, part, first + row, part.first_column + at) : 0.0F;
      }
      __syncthreads();
      for (unsigned row = 0; row < kSumRows; ++row)
        for (unsigned i = 0; i < 4; ++i)
          for (unsigned j = 0; j < 4; ++j)
            tile_sum[i][j] = fmaf(e[row][slot_of_thread + i * kSumSide],
                                  x[row][column_of_thread + j * kSumSide], tile_sum[i][j]);
    }
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < 4; ++j) sum[i][j] += static_cast<double>(tile_sum[i][j]);
  }
  double* const out =
      p.partial + (part.chunk * p.batches + part.batch) * p.slots * (p.channels + std::size_t{1});
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j) {
      const unsigned slot = part.first_slot + slot_of_thread + i * kSumSide;
      const unsigned column = part.first_column + column_of_thread + j * kSumSide;
      if (slot < p.slots && column <= p.channels)
        out[slot * (p.channels + std::size_t{1}) + column] = sum[i][j];
    }
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
