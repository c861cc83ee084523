// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/point_cloud.h>

#include <cstddef>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

/// Returns the fields called `names`, which take the first numbers of a row in this sequence.
/// @param width  numbers of a row
/// @throws std::invalid_argument without names, if one is named twice or if the fields hold more than `width`
///         numbers; CloudError if a field is missing or neither float32 nor float64.
PCL_ATTENTION_EXPORT std::vector<Field> written_fields(const CloudView& cloud,
                                                       const std::vector<std::string>& names,
                                                       std::size_t width);

/// Writes the first numbers of each row into fields of each point, in the cloud's own types and byte order.
/// @param rows    [cloud.num_points() × width]
/// @param cloud   a view of `points`
PCL_ATTENTION_EXPORT void write_rows(const CloudView& cloud, const std::vector<Field>& fields,
                                     const std::vector<float>& rows, std::size_t width, std::byte* points);

/// Copies a cloud.
template <typename PointT>
void with_fields(const pcl::PointCloud<PointT>& input, const std::vector<std::string>&,
                 pcl::PointCloud<PointT>& output) {
  output = input;
}

/// Copies a message and adds a float32 field per name behind each point; rows are packed then.
/// @throws std::invalid_argument if the message has a field of that name, or if `output` has no fields while
///         the input has: so pcl::Filter calls in place, and forgets what was added.
PCL_ATTENTION_EXPORT void with_fields(const pcl::PCLPointCloud2& input, const std::vector<std::string>& names,
                                      pcl::PCLPointCloud2& output);

}  // namespace pcl_attention
