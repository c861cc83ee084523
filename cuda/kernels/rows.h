// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/world.h"

// Rows of points and maps of them. All pointers are device memory, matrices are row-major; functions put
// their kernels on the stream and return. @throws std::runtime_error if a kernel does not start.

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// y = W x + b. Lanes of a warp are outputs, so W is stored transposed.
struct LinearMap {
  const float* weight = nullptr;  ///< [in × out] Wᵀ; null: there is no map
  const float* bias = nullptr;    ///< [out] or null
  std::uint32_t in = 0, out = 0;
};

/// y = (x − mean) / √(variance + 1e-5) · weight + bias.
struct NormMap {
  const float* weight = nullptr;  ///< [width]; null: there is no norm
  const float* bias = nullptr;    ///< [width]
};

enum class Finish : std::uint32_t { none, gelu, relu };

/// c_ij = finish(Σ_k a_ik b_kj + column_bias_j + row_bias_i). Strides in numbers from row to row.
struct MatrixProduct {
  const float* a = nullptr;  ///< [rows × inner]
  std::size_t a_stride = 0;
  const float* b = nullptr;  ///< [inner × columns]
  std::size_t b_stride = 0;
  const float* column_bias = nullptr;  ///< [columns] or null
  const float* row_bias = nullptr;     ///< [rows] or null
  float* c = nullptr;                  ///< [rows × columns]; neither a nor b
  std::size_t c_stride = 0;
  std::size_t rows = 0;
  std::uint32_t inner = 0, columns = 0;
  Finish finish = Finish::none;
};
void matrix_product(const MatrixProduct& product, Stream stream);

/// y = LN(x) for rows [rows × width] without gaps; y may be x.
struct NormRows {
  const float* x = nullptr;
  float* y = nullptr;
  NormMap norm;
  std::size_t rows = 0;
  std::uint32_t width = 0;
};
void norm_rows(const NormRows& rows, Stream stream);

/// to_i = from_row[i], rows of `width` numbers.
struct GatherRows {
  const float* from = nullptr;
  const std::uint32_t* row = nullptr;  ///< [count]
  float* to = nullptr;                 ///< [count × width]
  std::size_t count = 0;
  std::uint32_t width = 0;
};
void gather_rows(const GatherRows& rows, Stream stream);

/// Rows that a summary is made of and which of them take part: n tokens in rank order, then padded rows.
struct SurfaceView {
  const std::uint8_t* keep = nullptr;  ///< [n] nonzero: takes part; null: all
  std::size_t n = 0;
  std::size_t num_ranked = 0;  ///< tokens behind them take no part
  std::size_t padded = 0;      ///< rows behind the tokens; all take part

  std::size_t total() const { return n + padded; }
  std::size_t num_ranks() const { return num_ranked + padded; }
};

/// bias_i = 0 for rows of the surface that take part, −∞ for others; [total].
void mask_bias(const SurfaceView& surface, float* bias, Stream stream);

/// Sets rows [total × width] that take no part to zero.
void zero_left_out(const SurfaceView& surface, float* rows, std::uint32_t width, Stream stream);

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
