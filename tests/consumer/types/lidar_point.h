// SPDX-License-Identifier: BSD-3-Clause
// A point type that neither PCL nor the library knows.
#pragma once

#include <pcl/memory.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>
#include <pcl/register_point_struct.h>

#include <cstdint>

struct LidarPoint {
  PCL_ADD_POINT4D;
  float intensity = 0.0F;
  std::uint16_t ring = 0;
  double time = 0.0;
  PCL_MAKE_ALIGNED_OPERATOR_NEW
};
POINT_CLOUD_REGISTER_POINT_STRUCT(LidarPoint,
                                  (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)(
                                      std::uint16_t, ring, ring)(double, time, time))

inline pcl::PointCloud<LidarPoint>::Ptr make_scan() {
  pcl::PointCloud<LidarPoint>::Ptr cloud(new pcl::PointCloud<LidarPoint>);
  for (int i = 0; i < 200; ++i) {
    LidarPoint p;
    p.x = static_cast<float>(i % 17);
    p.y = static_cast<float>(i % 23);
    p.z = static_cast<float>(i * i % 7);
    p.ring = static_cast<std::uint16_t>(i % 16);
    p.time = 1e-5 * i;
    cloud->push_back(p);
  }
  return cloud;
}

// True if all of it works.
bool features();
bool filters();
