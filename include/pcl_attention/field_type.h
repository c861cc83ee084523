// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pcl_attention {

/// Element type of a field; the values are those of pcl::PCLPointField.
enum class FieldType : std::uint8_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  float32 = 7,
  float64 = 8,
  int64 = 9,
  uint64 = 10,
  boolean = 11,
};

}  // namespace pcl_attention
