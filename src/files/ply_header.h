// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "files/cloud_header.h"
#include "files/text_lines.h"

namespace pcl_attention {

/// A number of each row of an element, or a list: a length of `length_type`, then as many numbers.
struct PlyProperty {
  std::string name;
  FieldType type = FieldType::float32;
  bool is_list = false;
  FieldType length_type = FieldType::uint8;
};

struct PlyElement {
  std::string name;
  std::size_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  CloudEncoding encoding = CloudEncoding::ascii;
  std::vector<PlyElement> elements;
  std::size_t end_line = 0;  ///< number of the line end_header

  /// Of obj_info lines; PCL takes them for width and height.
  std::optional<std::int64_t> num_cols, num_rows;

  /// Returns the element of that name, or nullptr.
  const PlyElement* find(const std::string& name) const;
};

/// The width and height that PCL takes from a camera element.
struct PlyViewport {
  std::optional<std::int64_t> width, height;
};

/// Returns what the header of a PLY file says, and leaves `lines` at its end_header line.
/// @throws FileError naming file, line and what was expected.
PlyHeader parse_ply_header(TextLines& lines);

/// Returns the viewport; after it the text behind the header holds the rows that the header promises.
/// Lists of an element `vertex` have the same length in all rows.
/// @throws FileError naming file, line or element and row, and what was expected.
PlyViewport check_ply_body(const PlyHeader& header, TextLines& lines);

/// Returns the vertices' fields and the size that PCL gives the cloud: by the viewport, else by
/// num_cols and num_rows, else one row. List properties are no fields.
/// @throws FileError if these sizes disagree with the number of points: vertices, or entries of a
///         range_grid, which PCL fills with vertices.
CloudHeader make_ply_cloud(const PlyHeader& header, const PlyViewport& viewport, const std::string& path);

}  // namespace pcl_attention
