// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pcl_attention/export.h"
#include "pcl_attention/field_type.h"

namespace pcl_attention {

/// Returns the bytes of one element: 1, 2, 4 or 8.
/// @throws CloudError if `type` is none of the eleven.
PCL_ATTENTION_EXPORT std::size_t size_of(FieldType type);

/// One named field of a point: `count` elements of `type`, `offset` bytes behind the point's start.
struct Field {
  std::string name;
  FieldType type = FieldType::float32;
  std::size_t offset = 0;
  std::size_t count = 1;
};

/// A cloud in somebody else's memory, as raw points with named fields. Nothing is copied or owned.
///
/// Point i = r · width + c lies at data + r · row_step + c · point_step. Fields may lie at any
/// offset, aligned or not. With `rows` the cloud consists of the points rows[0], rows[1], … in that
/// order (repeats allowed); without, of all width · height points.
struct PCL_ATTENTION_EXPORT CloudView {
  const std::byte* data = nullptr;
  std::size_t size = 0;  ///< bytes readable from `data`
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t point_step = 0;
  std::size_t row_step = 0;  ///< 0 means width · point_step
  bool big_endian = false;
  std::vector<Field> fields;
  const std::int32_t* rows = nullptr;
  std::size_t num_rows = 0;  ///< length of `rows`

  /// Returns the number of points: num_rows with a selection, else width · height.
  std::size_t num_points() const { return rows != nullptr ? num_rows : width * height; }

  /// Returns the address of the i-th point of the cloud, 0 ≤ i < num_points(). Call check() first.
  const std::byte* point(std::size_t i) const {
    const std::size_t p = rows != nullptr ? static_cast<std::size_t>(rows[i]) : i;
    if (row_step == 0 || row_step == width * point_step) return data + p * point_step;
    return data + p / width * row_step + p % width * point_step;
  }

  /// Returns nothing; after it every field of every point may be read.
  /// @throws CloudError naming what disagrees: steps, sizes, a field outside the point, a row out of
  ///         range. Threads: reads only. Time O(number of rows + fields).
  void check() const;
};

}  // namespace pcl_attention
