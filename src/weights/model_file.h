// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/safetensors.h"
#include "pcl_attention/model.h"

namespace pcl_attention {

/// Returns the model that a file holds, as load_model() does; messages call the file `name`.
/// @throws ModelError if it holds no valid model, FileError for a tensor of another type than the float ones.
ModelPtr model_of(const SafetensorsFile& file, const std::string& name);

}  // namespace pcl_attention
