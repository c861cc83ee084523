// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/common/io.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>
#include <pcl/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcl_attention/export.h"
#include "pcl_attention/pcl/cloud_view.h"

// What a filter does to its output, in one form for point types and for messages. Bodies that read floats
// are compiled in the library, out of reach of a program's -ffast-math.

namespace pcl_attention {

/// The cloud of a point type; of pcl::PCLPointCloud2 the message itself.
template <typename PointT>
struct CloudOf {
  using type = pcl::PointCloud<PointT>;
};
template <>
struct CloudOf<pcl::PCLPointCloud2> {
  using type = pcl::PCLPointCloud2;
};

static_assert(sizeof(pcl::index_t) == sizeof(std::int32_t), "pcl_attention needs PCL with 32-bit indices");

/// Returns the numbers of PCL's indices; never null, which would stand for all points.
inline const std::int32_t* data_of(const pcl::Indices& indices) {
  static const std::int32_t none = 0;
  return indices.empty() ? &none : reinterpret_cast<const std::int32_t*>(indices.data());
}

/// Lets a view consist of the points at `indices`, which must outlive it.
inline void select(const pcl::Indices& indices, CloudView& cloud) {
  cloud.rows = data_of(indices);
  cloud.num_rows = indices.size();
}

/// Returns true exactly when no number of a float field is NaN and no x, y, z is infinite: PCL trusts
/// is_dense instead of asking pcl::isFinite(). Packed colour and `_` are not read.
PCL_ATTENTION_EXPORT bool is_dense(const CloudView& cloud);
/// Returns true exactly when no number of a descriptor is NaN.
PCL_ATTENTION_EXPORT bool is_dense(const std::vector<float>& rows);

/// Sets is_dense to what the points say.
template <class Cloud>
void set_dense(Cloud& cloud) {
  cloud.is_dense = is_dense(view_of(cloud));
}

/// Leaves no points; header, pose and fields stay.
template <typename PointT>
void make_empty(pcl::PointCloud<PointT>& cloud) {
  cloud.clear();
  cloud.is_dense = true;
}
PCL_ATTENTION_EXPORT void make_empty(pcl::PCLPointCloud2& cloud);

/// Copies points, with header and pose; output is one row. pcl::copyPointCloud() forgets the sequence of as
/// many indices as there are points.
template <typename PointT>
void copy_points(const pcl::PointCloud<PointT>& input, const pcl::Indices& indices,
                 pcl::PointCloud<PointT>& output) {
  output.header = input.header;
  output.sensor_origin_ = input.sensor_origin_;
  output.sensor_orientation_ = input.sensor_orientation_;
  output.points.resize(indices.size());
  output.width = static_cast<std::uint32_t>(indices.size());
  output.height = 1;
  for (std::size_t i = 0; i < indices.size(); ++i) output[i] = input[static_cast<std::size_t>(indices[i])];
}
PCL_ATTENTION_EXPORT void copy_points(const pcl::PCLPointCloud2& input, const pcl::Indices& indices,
                                      pcl::PCLPointCloud2& output);

/// Sets x, y, z of points to `value`, as PCL's filters do that keep a cloud organised.
template <typename PointT>
void set_coordinates(const pcl::Indices& indices, float value, pcl::PointCloud<PointT>& cloud) {
  const pcl::PointXYZ place(value, value, value);
  for (const auto index : indices) pcl::copyPoint(place, cloud[static_cast<std::size_t>(index)]);
}
/// @throws CloudError unless x, y, z are float32 or float64.
PCL_ATTENTION_EXPORT void set_coordinates(const pcl::Indices& indices, float value,
                                          pcl::PCLPointCloud2& cloud);

/// Returns the bytes of the points.
template <typename PointT>
std::byte* bytes_of(pcl::PointCloud<PointT>& cloud) {
  return reinterpret_cast<std::byte*>(cloud.points.data());
}
inline std::byte* bytes_of(pcl::PCLPointCloud2& cloud) {
  return reinterpret_cast<std::byte*>(cloud.data.data());
}

}  // namespace pcl_attention
