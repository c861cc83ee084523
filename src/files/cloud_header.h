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
  std::vector<Field> fields;  ///< of PCD and PLY vertices, offsets packed in file order
};

/// Returns the format by the file name's extension: .pcd, .ply, .bin, .npy, in any letter case.
/// @throws FileError for another extension; the message lists those read.
CloudFormat cloud_format(const std::string& path);

/// Returns the header of a .pcd, .ply or .bin file, read without PCL.
///
/// Everything PCL's readers believe blindly is checked first: counts and lists of PCD entries that
/// agree, POINTS = WIDTH × HEIGHT, known types, a body long enough for the points promised (for ascii:
/// each line has a number per element), PLY element and property lines, KITTI sizes.
/// Bytes behind the body are allowed.
/// @throws FileError naming file, line and what was expected.
CloudHeader read_cloud_header(const std::string& path);

}  // namespace pcl_attention
