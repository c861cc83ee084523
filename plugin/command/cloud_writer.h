// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "cloud_file.h"

namespace pcl_attention::command {

/// Writes the cloud as a binary PCD 0.7.
void write_pcd(const CloudFile& file, std::ostream& out);

/// Writes the cloud as a binary little-endian PLY; the pose goes into a `camera` element as in PCL.
/// @throws FileError for a field of a type PLY does not have.
void write_ply(const CloudFile& file, std::ostream& out);

}  // namespace pcl_attention::command
