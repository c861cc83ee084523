// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/point_numbers.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kPointThreads = 256;

__global__ void read_tokens_kernel(ReadTokens p) {
  const std::size_t i = global_thread(), token = i / p.points.num_columns;
  if (token >= p.count) return;
  const PointColumn& column = p.points.columns[i % p.points.num_columns];
  const double number = number_of(p.points, p.point[token], column);
  const double shift = column.axis >= 0 ? p.origin[column.axis] : 0.0;
  const float value = static_cast<float>((number - shift) * column.scale) + 0.0F;
  if (column.channel >= 0)
    p.values[token * p.num_channels + static_cast<std::size_t>(column.channel)] = value;
  if (column.axis >= 0 && p.positions != nullptr)
    p.positions[3 * token + static_cast<std::size_t>(column.axis)] = value;
}

__global__ void keep_tokens_kernel(ReadTokens p) {
  const std::size_t token = global_thread();
  if (token < p.count) p.keep[token] = p.mask[p.point[token]];
}

void read_tokens(const ReadTokens& tokens, Stream stream) {
  if (tokens.count == 0) return;
  const std::size_t numbers = tokens.count * tokens.points.num_columns;
  GPU_LAUNCH(read_tokens_kernel, num_blocks(numbers, kPointThreads), kPointThreads, 0, stream, tokens);
  if (tokens.keep != nullptr)
    GPU_LAUNCH(keep_tokens_kernel, num_blocks(tokens.count, kPointThreads), kPointThreads, 0, stream, tokens);
}

__global__ void scatter_rows_kernel(ScatterRows p) {
  const std::size_t i = global_thread(), from = i / p.width;
  if (from >= p.count) return;
  const std::size_t token = p.row == nullptr ? from : p.row[from];
  p.to[std::size_t{p.point[token]} * p.width + i % p.width] = p.from[i];
}

void scatter_rows(const ScatterRows& rows, Stream stream) {
  if (rows.count == 0 || rows.width == 0) return;
  GPU_LAUNCH(scatter_rows_kernel, num_blocks(rows.count * rows.width, kPointThreads), kPointThreads, 0,
             stream, rows);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
