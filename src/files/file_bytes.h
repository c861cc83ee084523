// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace pcl_attention {

/// Returns all bytes of a regular file.
/// @throws FileError naming `path` and the reason: not there, not a regular file, not readable, too
///         large for the memory. Memory: the file's length.
std::string read_file_bytes(const std::string& path);

}  // namespace pcl_attention
