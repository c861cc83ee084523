// SPDX-License-Identifier: BSD-3-Clause
#include "cloud_fields.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pcl_attention::command {
namespace {

const std::uint8_t* point_of(const pcl::PCLPointCloud2& cloud, std::size_t i) {
  return cloud.data.data() + i / cloud.width * cloud.row_step + i % cloud.width * cloud.point_step;
}

pcl::PCLPointField float_field(const std::string& name, std::size_t offset, std::size_t count) {
  pcl::PCLPointField field;
  field.name = name;
  field.offset = static_cast<pcl::uindex_t>(offset);
  field.datatype = pcl::PCLPointField::FLOAT32;
  field.count = static_cast<pcl::uindex_t>(count);
  return field;
}

}  // namespace

void append_field(pcl::PCLPointCloud2& cloud, const std::string& name, std::size_t count,
                  const float* values) {
  const std::size_t points = std::size_t{cloud.width} * cloud.height;
  const std::size_t offset = (cloud.point_step + sizeof(float) - 1) / sizeof(float) * sizeof(float);
  const std::size_t step = offset + count * sizeof(float);
  std::vector<std::uint8_t> data(points * step);
  for (std::size_t i = 0; i < points; ++i) {
    std::memcpy(data.data() + i * step, point_of(cloud, i), cloud.point_step);
    std::memcpy(data.data() + i * step + offset, values + i * count, count * sizeof(float));
  }
  auto& fields = cloud.fields;
  fields.erase(std::remove_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; }),
               fields.end());
  fields.push_back(float_field(name, offset, count));
  cloud.data.swap(data);
  cloud.point_step = static_cast<pcl::uindex_t>(step);
  cloud.row_step = static_cast<pcl::uindex_t>(step * cloud.width);
  if (std::any_of(values, values + points * count, [](float value) { return std::isnan(value); }))
    cloud.is_dense = 0;
}

std::string check_field_name(const std::string& name) {
  const bool good = !name.empty() && name != "_" && name.find_first_of(" \t\r\n") == name.npos;
  return good ? "" : "expected names of fields, came '" + name + "'";
}

pcl::PCLPointCloud2 select_points(const pcl::PCLPointCloud2& cloud, const std::vector<std::uint32_t>& rows) {
  pcl::PCLPointCloud2 result;
  result.header = cloud.header;
  result.fields = cloud.fields;
  result.is_bigendian = cloud.is_bigendian;
  result.is_dense = cloud.is_dense;
  result.point_step = cloud.point_step;
  result.height = 1;
  result.width = static_cast<pcl::uindex_t>(rows.size());
  result.row_step = result.width * result.point_step;
  result.data.resize(rows.size() * result.point_step);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(result.data.data() + i * result.point_step, point_of(cloud, rows[i]), cloud.point_step);
  return result;
}

}  // namespace pcl_attention::command
