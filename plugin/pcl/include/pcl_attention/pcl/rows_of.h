// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

/// Returns the float32 fields, packed colour and `_` left out.
PCL_ATTENTION_EXPORT std::vector<Field> float_fields(const std::vector<Field>& fields);

/// Fills `rows` with the float32 numbers of the fields, point by point, and returns how many a point has.
PCL_ATTENTION_EXPORT std::size_t rows_of(const CloudView& cloud, const std::vector<Field>& fields,
                                         std::vector<double>& rows);

}  // namespace pcl_attention
