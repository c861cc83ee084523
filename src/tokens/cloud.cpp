// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/cloud.h"

#include <limits>
#include <string>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

constexpr std::size_t largest_size = std::numeric_limits<std::size_t>::max();

std::size_t product(std::size_t a, std::size_t b, const char* what) {
  if (a != 0 && b > largest_size / a)
    throw CloudError(std::string("cloud: ") + what + " = " + std::to_string(a) + " x " + std::to_string(b) +
                     " is too large for this machine");
  return a * b;
}

/// Returns the bytes of one element, 0 for an unknown type.
std::size_t size_or_zero(FieldType type) {
  switch (type) {
    case FieldType::int8:
    case FieldType::uint8:
    case FieldType::boolean:
      return 1;
    case FieldType::int16:
    case FieldType::uint16:
      return 2;
    case FieldType::int32:
    case FieldType::uint32:
    case FieldType::float32:
      return 4;
    case FieldType::float64:
    case FieldType::int64:
    case FieldType::uint64:
      return 8;
  }
  return 0;
}

void check_field(const Field& field, std::size_t point_step) {
  const auto name = [&] { return "cloud field '" + field.name + "'"; };
  const std::size_t element = size_or_zero(field.type);
  if (element == 0)
    throw CloudError(name() + " has unknown type " + std::to_string(static_cast<int>(field.type)));
  if (field.count == 0 && field.name != "_") throw CloudError(name() + " has 0 elements");
  if (field.offset > point_step || field.count > (point_step - field.offset) / element)
    throw CloudError(name() + " leaves the point: offset " + std::to_string(field.offset) + ", " +
                     std::to_string(field.count) + " x " + std::to_string(element) + " bytes in a point of " +
                     std::to_string(point_step));
}

void check_rows(const std::int32_t* rows, std::size_t num_rows, std::size_t num_points) {
  for (std::size_t i = 0; i < num_rows; ++i) {
    if (static_cast<std::size_t>(rows[i]) >= num_points)  // negative ones become the largest
      throw CloudError("row " + std::to_string(i) + " of the selection is point " + std::to_string(rows[i]) +
                       ", the cloud has " + std::to_string(num_points) + " points");
  }
}

}  // namespace

std::size_t size_of(FieldType type) {
  const std::size_t size = size_or_zero(type);
  if (size == 0) throw CloudError("unknown element type " + std::to_string(static_cast<int>(type)));
  return size;
}

void CloudView::check() const {
  for (const Field& field : fields) check_field(field, point_step);

  const std::size_t row_bytes = product(width, point_step, "width x point_step");
  if (row_step != 0 && row_step < row_bytes)
    throw CloudError("cloud: row_step " + std::to_string(row_step) +
                     " is shorter than width x point_step = " + std::to_string(row_bytes));

  const std::size_t points = product(width, height, "width x height");
  if (points != 0) {
    const std::size_t last_row =
        product(height - 1, row_step != 0 ? row_step : row_bytes, "height x row_step");
    if (last_row > size || row_bytes > size - last_row)
      throw CloudError("cloud: " + std::to_string(width) + " x " + std::to_string(height) + " points of " +
                       std::to_string(point_step) + " bytes do not fit in the " + std::to_string(size) +
                       " bytes given");
    if (data == nullptr && row_bytes != 0) throw CloudError("cloud: points without data");
  }
  if (rows != nullptr) check_rows(rows, num_rows, points);
}

}  // namespace pcl_attention
