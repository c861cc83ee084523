// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/io/pcd_io.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <stdexcept>
#include <string>

#include "indoor_scene.h"

/// Returns the generated room, so that samples run without a file: NaN where the sensor saw nothing.
/// @param stray  share of the returns that come from dust
inline pcl::PointCloud<pcl::PointXYZ>::Ptr make_room(std::size_t num_points, bool organised,
                                                     double stray = 0.0) {
  pcl_attention::command::SceneOptions options;
  options.num_points = num_points;
  options.stray = stray;
  options.organised = organised;
  const pcl_attention::command::IndoorScene scene = pcl_attention::command::make_indoor_scene(options);
  pcl::PointCloud<pcl::PointXYZ>::Ptr cloud(new pcl::PointCloud<pcl::PointXYZ>);
  for (const auto& p : scene.points) cloud->push_back({p.x, p.y, p.z});
  cloud->width = static_cast<std::uint32_t>(scene.width);
  cloud->height = static_cast<std::uint32_t>(scene.height);
  cloud->is_dense = false;
  return cloud;
}

/// Returns the cloud in a file. @throws std::runtime_error if it cannot be read.
inline pcl::PointCloud<pcl::PointXYZ>::Ptr load_cloud(const std::string& path) {
  pcl::PointCloud<pcl::PointXYZ>::Ptr cloud(new pcl::PointCloud<pcl::PointXYZ>);
  if (pcl::io::loadPCDFile(path, *cloud) < 0) throw std::runtime_error(path + " cannot be read");
  return cloud;
}
