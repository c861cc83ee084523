// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace pcl_attention {

/// A row with its key, 12 bytes without padding: sorting is bound by memory. The lower half lies first, so
/// that little-endian machines load the key at once.
struct KeyedRow {
  std::uint32_t key_low, key_high;
  std::uint32_t row;

  KeyedRow() = default;
  KeyedRow(std::uint64_t key, std::uint32_t row_of_key)
      : key_low(static_cast<std::uint32_t>(key)),
        key_high(static_cast<std::uint32_t>(key >> 32)),
        row(row_of_key) {}

  std::uint64_t key() const { return std::uint64_t{key_high} << 32 | key_low; }
};

/// Rows in memory of the caller, with room for as many beside them.
struct KeyedRows {
  KeyedRow* rows = nullptr;
  KeyedRow* spare = nullptr;
  std::size_t size = 0;
};

}  // namespace pcl_attention
