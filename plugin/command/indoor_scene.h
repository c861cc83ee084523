// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pcl_attention::command {

struct SceneOptions {
  std::uint64_t seed = 0;
  std::size_t num_points = 6000;  ///< rays; with `organised` rounded up to a full grid
  bool organised = false;         ///< keep rows and columns of the sensor's grid
  double stray = 0.0;             ///< share of the returns that come from dust in front of a surface, 0 to 1
};

/// One return in metres, NaN in all coordinates where the sensor saw nothing.
struct ScenePoint {
  float x, y, z, intensity;
};

struct IndoorScene {
  std::size_t width = 0, height = 1;
  std::array<float, 3> sensor{};   ///< where it was seen from
  std::vector<ScenePoint> points;  ///< [width × height], row by row from the top
  std::size_t num_stray = 0;       ///< returns from dust
};

/// Returns a furnished room of 6 × 5 × 2.8 m as a depth sensor in its corner sees it: walls, floor, a
/// table, chairs, a cabinet, boxes; noise of the range 2 mm + 1 mm · r² (r in metres); no return from the
/// window, at grazing angles and, at random, more often from afar. Dust hangs anywhere along a ray, and
/// leaves the other returns as they are. The seed moves the furniture, too. Made of + − × ÷ and square roots
/// in double only: the same bits on every platform. O(points).
IndoorScene make_indoor_scene(const SceneOptions& options);

}  // namespace pcl_attention::command
