// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "pcl_attention/model.h"

namespace pcl_attention::command {

/// Returns name, hash, parameters, configuration, metadata, fields, projections, k and cost per layer,
/// tensors and notes of a model.
nlohmann::json describe(const Model& model);

/// Prints the description of a model.
void print_description(const nlohmann::json& description);

}  // namespace pcl_attention::command
