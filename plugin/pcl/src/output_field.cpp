// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/output_field.h"

#include <stdexcept>

namespace pcl_attention {
namespace {

std::string list(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields)
    if (field.type == FieldType::float32)
      text += (text.empty() ? "" : ", ") + field.name + "[" + std::to_string(field.count) + "]";
  return text.empty() ? "none" : text;
}

}  // namespace

Field find_output_field(const std::vector<Field>& fields, const std::string& name) {
  const Field* found = nullptr;
  std::size_t matches = 0;
  for (const Field& field : fields) {
    if (field.type != FieldType::float32) continue;
    if (name.empty() ? field.count < 2 : field.name != name) continue;
    found = &field;
    ++matches;
  }
  if (matches == 1) return *found;
  const std::string wanted = !name.empty()  ? "no float field '" + name + "' in PointOutT"
                             : matches == 0 ? "PointOutT has no float array for descriptors"
                                            : "PointOutT has several float arrays: call setOutputField()";
  throw std::invalid_argument(wanted + "; its float fields: " + list(fields));
}

void check_output_width(const Field& field, const Model& model) {
  const std::size_t width = model.config().output_width();
  if (field.count == width) return;
  throw std::invalid_argument("PointOutT's field '" + field.name + "' holds " + std::to_string(field.count) +
                              " numbers, rows of model '" + model.config().name + "' have " +
                              std::to_string(width));
}

}  // namespace pcl_attention
