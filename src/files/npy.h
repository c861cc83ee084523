// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pcl_attention {

/// A NumPy array, C order, widened to double. `type` is the stored one: "<f4", "<f8", "|b1", …
struct NpyArray {
  std::vector<std::size_t> shape;
  std::string type;
  std::vector<double> values;
};

/// Returns the array in a .npy file (format 1.0 to 3.0; bool, all integers, f2, f4, f8; either byte
/// order; Fortran order is converted).
/// @throws FileError naming file and fault: magic, version, header, type, length.
NpyArray read_npy(const std::string& path);

/// Writes a C-order little-endian .npy of float32 or float64, whole or not at all.
/// @throws FileError naming path and reason.
void write_npy(const std::string& path, const std::vector<std::size_t>& shape, const float* values);
void write_npy(const std::string& path, const std::vector<std::size_t>& shape, const double* values);

}  // namespace pcl_attention
