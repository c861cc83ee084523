// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/written_fields.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "pcl_attention/error.h"
#include "pcl_attention/pcl/cloud_view.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention {
namespace {

template <class T>
void write_number(float number, bool big_endian, std::byte* at) {
  const T value = static_cast<T>(number);
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  if (big_endian) std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(at, bytes, sizeof(T));
}

void write_row(const std::vector<Field>& fields, bool big_endian, const float* row, std::byte* point) {
  for (const Field& field : fields)
    for (std::size_t c = 0; c < field.count; ++c, ++row) {
      std::byte* const at = point + field.offset + c * size_of(field.type);
      if (field.type == FieldType::float32)
        write_number<float>(*row, big_endian, at);
      else
        write_number<double>(*row, big_endian, at);
    }
}

/// Returns the message with more fields and zeroed points.
pcl::PCLPointCloud2 with_layout(const pcl::PCLPointCloud2& input, const std::vector<std::string>& names) {
  pcl::PCLPointCloud2 result;
  result.header = input.header;
  result.width = input.width;
  result.height = input.height;
  result.fields = input.fields;
  result.is_bigendian = input.is_bigendian;
  result.point_step = input.point_step;
  for (const std::string& name : names) {
    for (const pcl::PCLPointField& field : result.fields)
      if (field.name == name) throw std::invalid_argument("the message has a field '" + name + "' already");
    pcl::PCLPointField field;
    field.name = name;
    field.offset = result.point_step;
    field.datatype = pcl::PCLPointField::FLOAT32;
    field.count = 1;
    result.fields.push_back(field);
    result.point_step += static_cast<pcl::uindex_t>(sizeof(float));
  }
  if (std::uint64_t{result.width} * result.point_step > std::numeric_limits<pcl::uindex_t>::max())
    throw CloudError("a row of the message with its new fields is too long");
  result.row_step = result.width * result.point_step;
  result.data.resize(std::size_t{result.row_step} * result.height);
  return result;
}

}  // namespace

std::vector<Field> written_fields(const CloudView& cloud, const std::vector<std::string>& names,
                                  std::size_t width) {
  if (names.empty()) throw std::invalid_argument("no field to write: call setOutputFields() first");
  std::vector<Field> fields;
  std::size_t count = 0;
  for (const std::string& name : names) {
    const Field& field = cloud.fields[find_field(cloud, name, {})];
    if ((field.type != FieldType::float32 && field.type != FieldType::float64) || name == "rgb" ||
        name == "rgba")
      throw CloudError("field '" + name + "' cannot be written: expected float32 or float64 numbers");
    for (const Field& other : fields)
      if (other.offset == field.offset) throw std::invalid_argument("field '" + name + "' is named twice");
    fields.push_back(field);
    count += field.count;
  }
  if (count > width)
    throw std::invalid_argument("the fields to write hold " + std::to_string(count) + " numbers, rows have " +
                                std::to_string(width));
  return fields;
}

void write_rows(const CloudView& cloud, const std::vector<Field>& fields, const std::vector<float>& rows,
                std::size_t width, std::byte* points) {
  for (std::size_t i = 0; i < cloud.num_points(); ++i)
    write_row(fields, cloud.big_endian, rows.data() + i * width, points + (cloud.point(i) - cloud.data));
}

void with_fields(const pcl::PCLPointCloud2& input, const std::vector<std::string>& names,
                 pcl::PCLPointCloud2& output) {
  if (names.empty()) {
    output = input;
    return;
  }
  if (output.fields.empty() && !input.fields.empty())
    throw std::invalid_argument("fields cannot be added in place: give filter() another message");
  output = with_layout(input, names);
  const CloudView from = view_of(input);
  for (std::size_t i = 0; i < from.num_points(); ++i)
    std::memcpy(output.data.data() + i * output.point_step, from.point(i), from.point_step);
}

}  // namespace pcl_attention
