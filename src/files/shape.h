// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace pcl_attention {

/// Returns shape[0] · shape[1] · … · size, multiplied from the left, or nothing if a step overflows.
inline std::optional<std::size_t> checked_product(const std::vector<std::size_t>& shape, std::size_t size) {
  std::size_t product = 1;
  const auto multiply = [&product](std::size_t factor) {
    if (factor != 0 && product > std::numeric_limits<std::size_t>::max() / factor) return false;
    product *= factor;
    return true;
  };
  for (const std::size_t extent : shape)
    if (!multiply(extent)) return std::nullopt;
  if (!multiply(size)) return std::nullopt;
  return product;
}

}  // namespace pcl_attention
