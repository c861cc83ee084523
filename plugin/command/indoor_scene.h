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
};

/// One return in metres, NaN in all coordinates where the sensor saw nothing.
struct ScenePoint {
  float x, y, z, intensity;
};

struct IndoorScene {
  std::size_t width = 0, height = 1;
  std::array<float, 3> sensor{};   ///< where it was seen from
  std::vector<ScenePoint> points;  ///< [width × height], row by row from the top
};

/// Returns a furnished room of 6 × 5 × 2.8 m as a depth sensor in its corner sees it: walls, floor, a
/// table, chairs, a cabinet, boxes; noise of the range 2 mm + 1 mm · r² (r in metres); no return from the
/// window, at grazing angles and, at random, more often from afar. The seed moves the furniture, too.
/// Made of + − × ÷ and square roots in double only: the same bits on every platform. O(points).
IndoorScene make_indoor_scene(const SceneOptions& options);

}  // namespace pcl_attention::command
