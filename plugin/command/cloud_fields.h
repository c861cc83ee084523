// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pcl_attention::command {

/// Adds a float field `name` of `count` elements behind the others, in place of an older one of that
/// name. is_dense becomes false if a value is NaN.
/// @param values  [points × count], row-major
void append_field(pcl::PCLPointCloud2& cloud, const std::string& name, std::size_t count,
                  const float* values);

/// Returns "" if a field can have this name, else what was expected.
std::string check_field_name(const std::string& name);

/// Returns the points `rows` of `cloud` in that sequence as one row, bytes unchanged.
pcl::PCLPointCloud2 select_points(const pcl::PCLPointCloud2& cloud, const std::vector<std::uint32_t>& rows);

}  // namespace pcl_attention::command
