// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"

namespace pcl_attention::test {

/// A cloud of any fields that owns its bytes. Bytes never written are 0xFF: a NaN in float fields.
struct RawCloud {
  CloudView view;
  std::vector<std::byte> bytes;

  RawCloud(std::size_t width, std::size_t point_step, std::vector<Field> fields, bool big_endian = false)
      : bytes(width * point_step, std::byte{0xFF}) {
    view.data = bytes.data();
    view.size = bytes.size();
    view.width = width;
    view.point_step = point_step;
    view.fields = std::move(fields);
    view.big_endian = big_endian;
  }
  RawCloud(const RawCloud&) = delete;
  RawCloud& operator=(const RawCloud&) = delete;

  /// Writes a number at `offset` of point i in the cloud's byte order.
  template <class Number>
  void write(std::size_t i, std::size_t offset, Number number) {
    std::array<std::byte, sizeof(Number)> raw;
    std::memcpy(raw.data(), &number, sizeof(Number));
    if (view.big_endian) std::reverse(raw.begin(), raw.end());
    std::copy(raw.begin(), raw.end(),
              bytes.begin() + (view.point(i) - view.data) + static_cast<long>(offset));
  }
};

}  // namespace pcl_attention::test
