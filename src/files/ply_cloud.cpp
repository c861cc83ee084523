// SPDX-License-Identifier: BSD-3-Clause
#include "files/ply_header.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

std::vector<Field> fields_of(const PlyElement& vertex) {
  std::vector<Field> fields;
  std::size_t offset = 0;
  for (const PlyProperty& property : vertex.properties) {
    if (property.is_list) continue;
    fields.push_back({property.name, property.type, offset, 1});
    offset += size_of(property.type);
  }
  return fields;
}

/// Sets width and height of the cloud if one of the two is given.
void set_size(const std::optional<std::int64_t>& width, const std::optional<std::int64_t>& height,
              std::size_t points, const std::string& where, CloudHeader& cloud) {
  if (!width && !height) return;
  const std::int64_t columns = width.value_or(0), rows = height.value_or(0);
  cloud.width = static_cast<std::size_t>(columns);
  cloud.height = static_cast<std::size_t>(rows);
  if (columns < 0 || rows < 0 || cloud.width * cloud.height != points)
    throw FileError(where + " give " + std::to_string(columns) + " × " + std::to_string(rows) +
                    " points, the elements hold " + std::to_string(points));
}

}  // namespace

CloudHeader make_ply_cloud(const PlyHeader& header, const PlyViewport& viewport, const std::string& path) {
  const PlyElement& vertex = *header.find("vertex");
  const PlyElement* grid = header.find("range_grid");
  const std::size_t points = grid != nullptr && grid->count != 0 ? grid->count : vertex.count;
  CloudHeader cloud;
  cloud.format = CloudFormat::ply;
  cloud.encoding = header.encoding;
  cloud.fields = fields_of(vertex);
  cloud.width = vertex.count;
  const std::string where = path + ":" + std::to_string(header.end_line) + ": ";
  set_size(header.num_cols, header.num_rows, points, where + "obj_info num_cols and num_rows", cloud);
  set_size(viewport.width, viewport.height, points, where + "viewportx and viewporty of the camera", cloud);
  if (cloud.width * cloud.height != points)
    throw FileError(where + "a range_grid of " + std::to_string(points) +
                    " entries needs obj_info num_cols and num_rows");
  return cloud;
}

}  // namespace pcl_attention
