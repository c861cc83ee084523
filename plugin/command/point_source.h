// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cloud_file.h"
#include "pcl_attention/cloud.h"
#include "pcl_attention/model.h"

namespace pcl_attention::command {

/// Points of a file: one cloud, or a batch of clouds given as rows of numbers.
struct PointSource {
  std::vector<CloudView> clouds;  ///< one per batch item; they read the members below
  bool batched = false;           ///< shape [b, n, d]
  std::optional<CloudFile> file;  ///< of a cloud file
  std::vector<double> doubles;    ///< of a .npy
  std::vector<float> floats;      ///< of a .npy of float32 or float16
};

/// Returns true for a .npy path. @throws FileError for an extension that is not read.
bool is_rows_file(const std::string& path);

/// Returns the points of a .pcd, .ply, .bin, or of a .npy [n, d] or [b, n, d] whose columns are the
/// model's input channels in their order.
/// @throws FileError naming file and fault; CloudError if the cloud's sizes disagree.
PointSource read_points(const std::string& path, const InputSpec& input);

/// Returns `model`, or for packed colour the same network with a field of its own for each of red,
/// green and blue, so that rows of numbers can hold them.
ModelPtr model_of_rows(const ModelPtr& model);

}  // namespace pcl_attention::command
