// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "kernels/compat.cuh"
#include "kernels/points.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

template <class T>
__device__ inline double stored_number(const unsigned char* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return static_cast<double>(number);
}

__device__ inline double stored_number(const unsigned char* at, FieldType type) {
  switch (type) {
    case FieldType::int8:
      return stored_number<std::int8_t>(at);
    case FieldType::uint8:
      return stored_number<std::uint8_t>(at);
    case FieldType::int16:
      return stored_number<std::int16_t>(at);
    case FieldType::uint16:
      return stored_number<std::uint16_t>(at);
    case FieldType::int32:
      return stored_number<std::int32_t>(at);
    case FieldType::uint32:
      return stored_number<std::uint32_t>(at);
    case FieldType::float32:
      return stored_number<float>(at);
    case FieldType::float64:
      return stored_number<double>(at);
    case FieldType::int64:
      return stored_number<std::int64_t>(at);
    case FieldType::uint64:
      return stored_number<std::uint64_t>(at);
    case FieldType::boolean:
      return *at != 0 ? 1.0 : 0.0;
  }
  return 0.0;
}

__device__ inline double number_of(const PointsView& points, std::size_t point, const PointColumn& column) {
  const unsigned char* const at =
      points.data + point / points.width * points.row_step + point % points.width * points.point_step;
  return stored_number(at + column.offset, column.type);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
