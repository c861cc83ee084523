// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/export.h"
#include "pcl_attention/model.h"

namespace pcl_attention {

/// Returns the field of a point type that takes descriptor rows: the float field called `name`, or with
/// an empty name the only float array.
/// @throws std::invalid_argument naming the float fields there are.
PCL_ATTENTION_EXPORT Field find_output_field(const std::vector<Field>& fields, const std::string& name);

/// Returns nothing if a row of `model` fits `field` exactly.
/// @throws std::invalid_argument with both widths.
PCL_ATTENTION_EXPORT void check_output_width(const Field& field, const Model& model);

}  // namespace pcl_attention
