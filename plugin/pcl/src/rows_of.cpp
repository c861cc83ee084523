// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/rows_of.h"

#include <cstring>

namespace pcl_attention {

std::vector<Field> float_fields(const std::vector<Field>& fields) {
  std::vector<Field> result;
  for (const Field& field : fields)
    if (field.type == FieldType::float32 && field.name != "_" && field.name != "rgb" && field.name != "rgba")
      result.push_back(field);
  return result;
}

std::size_t rows_of(const CloudView& cloud, const std::vector<Field>& fields, std::vector<double>& rows) {
  std::size_t width = 0;
  for (const Field& field : fields) width += field.count;
  rows.clear();
  rows.reserve(cloud.num_points() * width);
  for (std::size_t i = 0; i < cloud.num_points(); ++i)
    for (const Field& field : fields)
      for (std::size_t c = 0; c < field.count; ++c) {
        float value;
        std::memcpy(&value, cloud.point(i) + field.offset + c * sizeof(float), sizeof(float));
        rows.push_back(static_cast<double>(value));
      }
  return width;
}

}  // namespace pcl_attention
