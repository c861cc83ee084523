// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/finish.cuh"
#include "kernels/rows.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kProductTile = 64;   // rows and columns of a block
constexpr unsigned kProductDepth = 16;  // inner numbers in shared memory at a time
constexpr unsigned kProductSide = 16;   // threads of a block: side × side, each 4 × 4 numbers

/// Copies columns [first, first + depth) of a, transposed, and rows of b; zeros outside.
__device__ inline void load_depth(const MatrixProduct& p, std::size_t first_row, unsigned first_column,
                                  unsigned first, float (&a)[kProductDepth][kProductTile + 1],
                                  float (&b)[kProductDepth][kProductTile]) {
  for (unsigned i = threadIdx.x; i < kProductTile * kProductDepth; i += blockDim.x) {
    const std::size_t row = first_row + i / kProductDepth;
    const unsigned k = first + i % kProductDepth;
    a[i % kProductDepth][i / kProductDepth] = row < p.rows && k < p.inner ? p.a[row * p.a_stride + k] : 0.0F;
  }
  for (unsigned i = threadIdx.x; i < kProductTile * kProductDepth; i += blockDim.x) {
    const unsigned k = first + i / kProductTile, column = first_column + i % kProductTile;
    b[i / kProductTile][i % kProductTile] =
        k < p.inner && column < p.columns ? p.b[k * p.b_stride + column] : 0.0F;
  }
}

__device__ inline void store_product(const MatrixProduct& p, std::size_t row, unsigned column, float value) {
  if (row >= p.rows || column >= p.columns) return;
  if (p.column_bias != nullptr) value += p.column_bias[column];
  if (p.row_bias != nullptr) value += p.row_bias[row];
  p.c[row * p.c_stride + column] = finished(value, p.finish);
}

/// A block takes one tile; thread (x, y) the rows y, y + 16 … and the columns x, x + 16 …
__global__ void __launch_bounds__(kProductSide* kProductSide) matrix_product_kernel(MatrixProduct p) {
  GPU_SHARED(float, a, [kProductDepth][kProductTile + 1]);
  GPU_SHARED(float, b, [kProductDepth][kProductTile]);
  const unsigned column_tiles = (p.columns + kProductTile - 1) / kProductTile;
  const std::size_t first_row = std::size_t{blockIdx.x / column_tiles} * kProductTile;
  const unsigned first_column = blockIdx.x % column_tiles * kProductTile;
  const unsigned x = threadIdx.x % kProductSide, y = threadIdx.x / kProductSide;
  float sum[4][4] = {};
  for (unsigned first = 0; first < p.inner; first += kProductDepth) {
    load_depth(p, first_row, first_column, first, a, b);
    __syncthreads();
    for (unsigned k = 0; k < kProductDepth; ++k)
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned j = 0; j < 4; ++j)
          sum[i][j] = fmaf(a[k][y + i * kProductSide], b[k][x + j * kProductSide], sum[i][j]);
    __syncthreads();
  }
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j)
      store_product(p, first_row + y + i * kProductSide, first_column + x + j * kProductSide, sum[i][j]);
}

void matrix_product(const MatrixProduct& product, Stream stream) {
  if (product.rows == 0 || product.columns == 0) return;
  const std::size_t row_tiles = (product.rows + kProductTile - 1) / kProductTile;
  const std::size_t column_tiles = (product.columns + kProductTile - 1) / kProductTile;
  GPU_LAUNCH(matrix_product_kernel, num_blocks(row_tiles * column_tiles, 1), kProductSide * kProductSide, 0,
             stream, product);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
