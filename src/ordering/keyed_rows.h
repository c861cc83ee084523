// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace pcl_attention {

/// Pairs (keys[i], rows[i]).
struct KeyedRows {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> rows;
};

}  // namespace pcl_attention
