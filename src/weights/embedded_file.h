// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pcl_attention {

/// A file that is part of the library; see src/cmake/EmbedFile.cmake.
struct EmbeddedFile {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
};

extern const EmbeddedFile outlier_model_file;         ///< weights/outlier/outlier.safetensors
extern const EmbeddedFile outlier_sensor_model_file;  ///< weights/outlier/outlier_sensor.safetensors

}  // namespace pcl_attention
