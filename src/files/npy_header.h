// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pcl_attention {

struct NpyHeader {
  std::vector<std::size_t> shape;
  std::string type;  ///< "<f4", …
  bool fortran_order = false;
  std::size_t data_begin = 0;  ///< bytes before the array
};

/// Returns the header at the start of a .npy file's bytes: magic, version, and the dictionary of
/// Python literals with the keys descr, fortran_order and shape, each once and in any order.
/// @throws FileError naming `path` and the fault.
NpyHeader parse_npy_header(const std::string& path, const std::string& bytes);

/// Returns everything that precedes a C-order array of this type, padded to 64 bytes (format 1.0).
/// @throws std::invalid_argument for more than 32 axes.
std::string make_npy_header(const std::string& type, const std::vector<std::size_t>& shape);

}  // namespace pcl_attention
