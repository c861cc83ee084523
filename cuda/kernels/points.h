// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/point_column.h"
#include "kernels/world.h"

// Points of somebody's cloud in device memory to tokens, and rows back to points. Tokens are those that
// src/tokens gathers, bit for bit.

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

struct PointsView {
  const unsigned char* data = nullptr;  ///< point i = r · width + c at r · row_step + c · point_step
  std::size_t width = 0, point_step = 0, row_step = 0;
  std::size_t n = 0;
  const PointColumn* columns = nullptr;
  std::uint32_t num_columns = 0;
};

/// The lowest x, y, z, −x, −y, −z of points, +∞ without any; and how many they are.
struct PointExtent {
  double lowest[6];
  double count;
};

/// Finds the valid points: key_i = 0 if every number of point i is within its limit, else 1; row_i = i.
struct InspectPoints {
  PointsView points;
  const std::uint8_t* mask = nullptr;  ///< [n] nonzero = kept; null: all
  bool zero_is_invalid = false;        ///< nor is (0, 0, 0) valid
  std::uint64_t* keys = nullptr;
  std::uint32_t* rows = nullptr;
  PointExtent* partial = nullptr;  ///< [2 × kExtentBlocks] scratch
  PointExtent* extent = nullptr;   ///< [2] of the valid points, of those that are kept, too
};
constexpr std::size_t kExtentBlocks = 256;
void inspect_points(const InspectPoints& points, Stream stream);

/// values[t][channel] = float((number − origin of its axis) · scale) of point[t], −0 as +0.
struct ReadTokens {
  PointsView points;
  double origin[3] = {0, 0, 0};
  const std::uint32_t* point = nullptr;  ///< [count]
  std::size_t count = 0;
  std::uint32_t num_channels = 0;
  float* values = nullptr;             ///< [count × num_channels]
  float* positions = nullptr;          ///< [count × 3] or null
  const std::uint8_t* mask = nullptr;  ///< as above
  std::uint8_t* keep = nullptr;        ///< [count] mask of each token, or null
};
void read_tokens(const ReadTokens& tokens, Stream stream);

/// to[point[row[i]]] = from[i], rows of `width` numbers; without row to[point[i]].
struct ScatterRows {
  const float* from = nullptr;           ///< [count × width]
  const std::uint32_t* row = nullptr;    ///< [count] or null
  const std::uint32_t* point = nullptr;  ///< [count]
  float* to = nullptr;
  std::size_t count = 0;
  std::uint32_t width = 0;
};
void scatter_rows(const ScatterRows& rows, Stream stream);

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
