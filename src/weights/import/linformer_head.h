// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "weights/import/linformer_projections.h"

namespace pcl_attention {

/// Returns E and F of the head whose tensors are called `name` + "E.weight" ….
/// @param method  learned or convolution
/// @throws ModelError naming a tensor that is missing, transposed or of another method.
HeadProjections read_head_projections(StateDict& state, const std::string& name, Projection method);

/// Returns the constants of method `no_params`: `fixed_projection` [n × k], or those of head `number`.
/// @throws ModelError naming a tensor that is missing.
HeadProjections read_head_constants(StateDict& state, std::size_t number);

}  // namespace pcl_attention
