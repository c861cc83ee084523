// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

/// Returns n points (x, y, z) on a rising spiral of radius 1 m.
inline std::vector<std::array<float, 3>> make_spiral(std::size_t n) {
  std::vector<std::array<float, 3>> points(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float t = 0.05F * static_cast<float>(i);
    points[i] = {std::cos(t), std::sin(t), 0.02F * t};
  }
  return points;
}
