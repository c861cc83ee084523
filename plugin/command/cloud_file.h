// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>

#include <array>
#include <string>

namespace pcl_attention::command {

/// A cloud with the pose of its sensor, as a .pcd file holds them.
struct CloudFile {
  pcl::PCLPointCloud2 cloud;
  std::array<float, 7> viewpoint{0, 0, 0, 1, 0, 0, 0};  ///< x y z, quaternion w x y z
};

/// Returns the cloud in a .pcd, .ply or KITTI .bin file (x y z intensity).
/// @throws FileError naming the file and the fault.
CloudFile read_cloud(const std::string& path);

/// Writes a .pcd or .ply file, both binary, whole or not at all. Fields named `_` and bytes between
/// fields are left out. PLY: a field of many elements becomes scalar properties NAME_0, NAME_1, …,
/// normal_x is written as nx, packed colour as red green blue (alpha).
/// @throws FileError naming the path and the reason.
void write_cloud(const CloudFile& file, const std::string& path);

/// Returns nothing if write_cloud() can write this path's format. @throws FileError otherwise.
void check_cloud_output(const std::string& path);

}  // namespace pcl_attention::command
