// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/cloud_contract.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pcl_attention/pcl/written_fields.h"

namespace pcl_attention {
namespace {

template <class T>
T number_at(const std::byte* at, bool big_endian) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, at, sizeof(T));
  if (big_endian) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

bool is_axis(const Field& field) { return field.name == "x" || field.name == "y" || field.name == "z"; }

template <class T>
bool is_dense_field(const CloudView& cloud, const Field& field) {
  const bool axis = is_axis(field);
  for (std::size_t i = 0; i < cloud.num_points(); ++i)
    for (std::size_t c = 0; c < field.count; ++c) {
      const T value = number_at<T>(cloud.point(i) + field.offset + c * sizeof(T), cloud.big_endian);
      if (axis ? !std::isfinite(value) : std::isnan(value)) return false;
    }
  return true;
}

}  // namespace

bool is_dense(const CloudView& cloud) {
  return std::all_of(cloud.fields.begin(), cloud.fields.end(), [&](const Field& field) {
    if (field.name == "_" || field.name == "rgb" || field.name == "rgba") return true;
    if (field.type == FieldType::float32) return is_dense_field<float>(cloud, field);
    return field.type != FieldType::float64 || is_dense_field<double>(cloud, field);
  });
}

bool is_dense(const std::vector<float>& rows) {
  return std::none_of(rows.begin(), rows.end(), [](float value) { return std::isnan(value); });
}

void make_empty(pcl::PCLPointCloud2& cloud) {
  cloud.width = cloud.height = cloud.row_step = 0;
  cloud.data.clear();
  cloud.is_dense = 1;
}

void copy_points(const pcl::PCLPointCloud2& input, const pcl::Indices& indices, pcl::PCLPointCloud2& output) {
  const CloudView view = view_of(input);
  output.header = input.header;
  output.fields = input.fields;
  output.is_bigendian = input.is_bigendian;
  output.point_step = input.point_step;
  output.width = static_cast<pcl::uindex_t>(indices.size());
  output.height = 1;
  output.row_step = output.width * output.point_step;
  output.data.resize(indices.size() * view.point_step);
  for (std::size_t i = 0; i < indices.size(); ++i)
    std::memcpy(output.data.data() + i * view.point_step, view.point(static_cast<std::size_t>(indices[i])),
                view.point_step);
}

void set_coordinates(const pcl::Indices& indices, float value, pcl::PCLPointCloud2& cloud) {
  CloudView view = view_of(cloud);
  const std::vector<Field> fields = written_fields(view, {"x", "y", "z"}, 3);
  select(indices, view);
  write_rows(view, fields, std::vector<float>(indices.size() * 3, value), 3, bytes_of(cloud));
}

}  // namespace pcl_attention
