// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "pcl_attention/field_type.h"

namespace pcl_attention::gpu {

/// One number of a point, at any address, in the device's byte order. Plain data: the same in both worlds.
struct PointColumn {
  std::size_t offset = 0;  ///< bytes behind the point's start
  FieldType type = FieldType::float32;
  std::int32_t channel = -1;  ///< column of the tokens; −1: none
  std::int32_t axis = -1;     ///< 0, 1, 2: coordinate; −1: none
  double scale = 1.0;         ///< factor on the number
  double limit = 0.0;         ///< largest valid |number · scale|
};

}  // namespace pcl_attention::gpu
