// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attend_features.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

__host__ __device__ inline unsigned widest(unsigned a, unsigned b, unsigned c) {
  const unsigned most = a > b ? a : b;
  return most > c ? most : c;
}

/// Widths of the three sets of rows that a tile keeps: the rows themselves; queries, inner and intermediate
/// rows; heads, normed and resampled rows.
struct AnswerWidths {
  unsigned row, inner, heads;
};
__host__ __device__ inline AnswerWidths answer_widths(const AnswerRows& p) {
  const unsigned intermediate = p.maps.output_second.weight != nullptr ? p.maps.output.out : 0;
  return {p.width_in, widest(p.heads * p.head_width, intermediate, p.maps.feed_forward_in.out),
          widest(p.heads * p.value_width, p.width_in, p.width_out)};
}

/// Returns true if rows take φ(q)ᵀS / φ(q)ᵀz, not a softmax.
__host__ __device__ inline bool is_by_features(const AnswerRows& p) { return p.summary.features.count != 0; }

__host__ __device__ inline unsigned staged_key_width(const AnswerRows& p) {
  return is_by_features(p) ? 0 : p.head_width;
}

/// The parts of a tile in shared memory.
struct AnswerTile {
  std::size_t* rows;  // [count] of x
  float *x, *inner, *heads;
  AttendMemory attend;
  unsigned count;

  __device__ TileRows of(float* data, unsigned width) const { return {data, width, count}; }
};

__device__ inline AnswerTile divide(const AnswerRows& p, unsigned rows_of_tile, unsigned count,
                                    float* memory) {
  const AnswerWidths widths = answer_widths(p);
  AnswerTile tile;
  tile.count = count;
  tile.rows = reinterpret_cast<std::size_t*>(memory);
  tile.x = memory + rows_of_tile * sizeof(std::size_t) / sizeof(float);
  tile.inner = tile.x + rows_of_tile * widths.row;
  tile.heads = tile.inner + rows_of_tile * widths.inner;
  tile.attend.largest = tile.heads + rows_of_tile * widths.heads;
  tile.attend.sum = tile.attend.largest + rows_of_tile;
  tile.attend.weights = tile.attend.sum + rows_of_tile;
  float* const staged = tile.attend.weights + kTileThreads;
  const bool in_shared = stages(staged_key_width(p), p.value_width);
  tile.attend.keys = in_shared ? staged : nullptr;
  tile.attend.values = in_shared ? staged + kStagedSlots * (staged_key_width(p) + 1) : nullptr;
  return tile;
}

__device__ inline void load_rows(const AnswerRows& p, std::size_t first, const AnswerTile& tile) {
  for (unsigned i = threadIdx.x; i < tile.count; i += kTileThreads)
    tile.rows[i] = p.asked == nullptr ? first + i : p.asked[first + i];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < tile.count * p.width_in; i += kTileThreads)
    tile.x[i] = p.x[tile.rows[i / p.width_in] * p.width_in + i % p.width_in];
  __syncthreads();
}

/// x += A(x), or x = A(x) without norm.
__device__ inline void answer_attention(const AnswerRows& p, const AnswerTile& tile) {
  const TileRows x = tile.of(tile.x, p.width_in), queries = tile.of(tile.inner, p.heads * p.head_width);
  const TileRows heads = tile.of(tile.heads, p.heads * p.value_width);
  const TileRows normed = tile.of(tile.heads, p.width_in);
  if (p.maps.norm == NormAt::pre) tile_norm(p.maps.attention_norm, x, normed);
  tile_linear(p.maps.query, p.maps.norm == NormAt::pre ? normed : x, queries, false, Finish::none);
  if (p.maps.query_norm.weight != nullptr) tile_norm(p.maps.query_norm, queries, queries);
  if (is_by_features(p))
    tile_attend_features(p, queries, tile.attend, heads);
  else
    tile_attend(p, queries, tile.rows, tile.attend, heads);
  const bool residual = p.maps.norm != NormAt::none;
  if (p.maps.output_second.weight == nullptr)
    return tile_linear(p.maps.output, heads, x, residual, Finish::none);
  const TileRows intermediate = tile.of(tile.inner, p.maps.output.out);
  tile_linear(p.maps.output, heads, intermediate, false, Finish::none);
  tile_linear(p.maps.output_second, intermediate, x, residual, Finish::none);
}

/// Returns R(x) + F(x) or R(x) + F(LN(x)).
__device__ inline TileRows answer_feed_forward(const AnswerRows& p, const AnswerTile& tile) {
  const TileRows x = tile.of(tile.x, p.width_in), inner = tile.of(tile.inner, p.maps.feed_forward_in.out);
  const TileRows normed = tile.of(tile.heads, p.width_in);
  if (p.maps.norm == NormAt::pre) tile_norm(p.maps.feed_forward_norm, x, normed);
  tile_linear(p.maps.feed_forward_in, p.maps.norm == NormAt::pre ? normed : x, inner, false,
              p.maps.activation);
  TileRows y = x;
  if (p.maps.resample.weight != nullptr) {
    y = tile.of(tile.heads, p.width_out);
    tile_linear(p.maps.resample, x, y, false, Finish::none);
  }
  tile_linear(p.maps.feed_forward_out, inner, y, true, Finish::none);
  return y;
}

__global__ void __launch_bounds__(kTileThreads) answer_rows_kernel(AnswerRows p, unsigned rows_of_tile) {
  GPU_DYNAMIC_SHARED(float, memory);
  const std::size_t first = std::size_t{blockIdx.x} * rows_of_tile, left = p.count - first;
  const AnswerTile tile =
      divide(p, rows_of_tile, left < rows_of_tile ? static_cast<unsigned>(left) : rows_of_tile, memory);
  load_rows(p, first, tile);
  answer_attention(p, tile);
  TileRows y = tile.of(tile.x, p.width_in);
  if (p.maps.norm == NormAt::post) tile_norm(p.maps.attention_norm, y, y);
  if (p.maps.norm != NormAt::none && p.maps.feed_forward_in.weight != nullptr) {
    y = answer_feed_forward(p, tile);
    if (p.maps.norm == NormAt::post) tile_norm(p.maps.feed_forward_norm, y, y);
  }
  for (unsigned i = threadIdx.x; i < y.count * y.width; i += kTileThreads)
    p.y[first * y.width + i] = y.data[i];
}

std::size_t answer_bytes(const AnswerRows& asked, std::size_t rows) {
  const AnswerWidths widths = answer_widths(asked);
  const std::size_t of_row =
      widths.row + widths.inner + widths.heads + 2 + sizeof(std::size_t) / sizeof(float);
  return sizeof(float) *
         (rows * of_row + kTileThreads + staged_size(staged_key_width(asked), asked.value_width));
}

void answer_rows(const AnswerRows& asked, Stream stream) {
  if (asked.count == 0) return;
  std::size_t rows = kAnswerRows;
  while (rows > 1 && answer_bytes(asked, rows) > kSharedBytes) --rows;
  const std::size_t bytes = answer_bytes(asked, rows);
  if (bytes > kSharedBytes)
    throw std::invalid_argument("CUDA: a row of this layer takes " + std::to_string(bytes) +
                                " bytes of shared memory, at most " + std::to_string(kSharedBytes));
  GPU_LAUNCH(answer_rows_kernel, num_blocks(asked.count, rows), kTileThreads, bytes, stream, asked,
             static_cast<unsigned>(rows));
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
