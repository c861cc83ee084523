// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "pcl_attention/import.h"
#include "weights/import/state_dict.h"

namespace pcl_attention {

/// Where a class of linformer-pytorch begins in a state_dict.
struct LinformerRoot {
  enum class Class { linformer, attention, head };
  Class kind = Class::linformer;
  std::string prefix;   ///< of the names that are read
  std::string network;  ///< behind the prefix: "fn." inside ProjectInOut
  bool padded = false;  ///< class Padder
};

/// Returns the network that the tensors under `root` describe, without their order and other names.
/// @throws ModelError naming a tensor that does not fit.
ModelPtr read_linformer(StateDict& state, const LinformerRoot& root, const LinformerPytorchOptions& options);

}  // namespace pcl_attention
