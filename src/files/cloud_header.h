// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"

namespace pcl_attention {

enum class CloudFormat { pcd, ply, kitti_bin, npy };
enum class CloudEncoding { ascii, binary, binary_compressed, binary_big_endian };

/// What a cloud file's header promises, after it was held against the file itself.
struct CloudHeader {
  CloudFormat format = CloudFormat::pcd;
  CloudEncoding encoding = CloudEncoding::ascii;
  std::size_t width = 0, height = 1;
  std::size_t body = 0;       ///< first byte behind the header
  std::vector<Field> fields;  ///< of a point, offsets packed in file order; PLY lists are left out
};

/// Returns the format by the file name's extension: .pcd, .ply, .bin, .npy, in any letter case.
/// @throws FileError for another extension; the message lists those read.
CloudFormat cloud_format(const std::string& path);

/// Returns the header of a .pcd, .ply or .bin (KITTI: x y z intensity, float32) file, read without PCL.
///
/// Everything PCL's readers believe blindly is checked first: entries of a PCD header and their order,
/// lists that agree, POINTS = WIDTH × HEIGHT, known types, a body long enough for the points promised
/// (for ascii: each row has one number of the right type per element), PLY elements, properties and
/// lists, the cloud size in PLY obj_info and camera entries, KITTI sizes.
/// Bytes behind the body are allowed. A .bin file without bytes is a cloud of 0 points.
/// @throws FileError naming file, line and what was expected. Memory: the file's length.
CloudHeader read_cloud_header(const std::string& path);

}  // namespace pcl_attention
