// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "neighbourhood/nearest.h"

namespace pcl_attention {

/// What the nearest points say of a position; see pcl_attention/neighbourhood.h.
struct LocalShape {
  double nearest = 0.0;          ///< d_1
  double eighth = 0.0;           ///< d_8, or the last there is
  std::array<double, 4> mean{};  ///< M_4, M_8, M_16, M_32
  double extent_2 = 0.0, extent_3 = 0.0;
  double spread = 0.0;  ///< λ1 + λ2 + λ3
  double normal_z = 0.0, normal_view = 0.0;
};

/// @param view  the position seen from the sensor
LocalShape local_shape(const Places& places, const Neighbours& neighbours, const std::array<double, 3>& view);

}  // namespace pcl_attention
