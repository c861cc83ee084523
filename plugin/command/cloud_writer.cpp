// SPDX-License-Identifier: BSD-3-Clause
#include "cloud_writer.h"

#include <pcl/common/io.h>

#include <Eigen/Geometry>
#include <locale>
#include <sstream>
#include <vector>

#include "pcl_attention/error.h"

namespace pcl_attention::command {
namespace {

using Fields = std::vector<pcl::PCLPointField>;

std::size_t count_of(const pcl::PCLPointField& field) { return field.count == 0 ? 1 : field.count; }

std::size_t bytes_of(const pcl::PCLPointField& field) {
  return static_cast<std::size_t>(pcl::getFieldSize(field.datatype)) * count_of(field);
}

Fields named_fields(const pcl::PCLPointCloud2& cloud) {
  Fields fields;
  for (const pcl::PCLPointField& field : cloud.fields)
    if (field.name != "_") fields.push_back(field);
  return fields;
}

// Numbers in a header have a point for decimals wherever the program runs.
std::ostringstream header_stream() {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(9);
  return out;
}

// Calls write(first byte of the point) for each point in sequence.
template <class Write>
void for_each_point(const pcl::PCLPointCloud2& cloud, const Write& write) {
  for (std::size_t row = 0; row < cloud.height; ++row)
    for (std::size_t column = 0; column < cloud.width; ++column)
      write(cloud.data.data() + row * cloud.row_step + column * cloud.point_step);
}

void write_bytes(std::ostream& out, const void* bytes, std::size_t size) {
  out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

bool is_colour(const pcl::PCLPointField& field) { return field.name == "rgb" || field.name == "rgba"; }

const char* ply_type(const pcl::PCLPointField& field) {
  switch (field.datatype) {
    case pcl::PCLPointField::INT8:
      return "char";
    case pcl::PCLPointField::BOOL:
    case pcl::PCLPointField::UINT8:
      return "uchar";
    case pcl::PCLPointField::INT16:
      return "short";
    case pcl::PCLPointField::UINT16:
      return "ushort";
    case pcl::PCLPointField::INT32:
      return "int";
    case pcl::PCLPointField::UINT32:
      return "uint";
    case pcl::PCLPointField::FLOAT32:
      return "float";
    case pcl::PCLPointField::FLOAT64:
      return "double";
    default:
      throw FileError("PLY has no type for field '" + field.name + "' of 64-bit integers: write a .pcd");
  }
}

std::string ply_name(const pcl::PCLPointField& field) {
  const bool normal = field.name == "normal_x" || field.name == "normal_y" || field.name == "normal_z";
  return normal ? std::string("n") + field.name.back() : field.name;
}

void write_ply_properties(std::ostream& out, const pcl::PCLPointField& field) {
  if (is_colour(field)) {
    out << "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    if (field.name == "rgba") out << "property uchar alpha\n";
  } else if (count_of(field) == 1) {
    out << "property " << ply_type(field) << ' ' << ply_name(field) << '\n';
  } else {
    for (std::size_t i = 0; i < count_of(field); ++i)
      out << "property " << ply_type(field) << ' ' << field.name << '_' << i << '\n';
  }
}

std::string ply_header(const pcl::PCLPointCloud2& cloud, const Fields& fields) {
  std::ostringstream out = header_stream();
  out << "ply\nformat binary_little_endian 1.0\n"
      << "element vertex " << std::size_t{cloud.width} * cloud.height << '\n';
  for (const pcl::PCLPointField& field : fields) write_ply_properties(out, field);
  out << "element camera 1\n";
  for (const char* name :
       {"view_px", "view_py", "view_pz", "x_axisx", "x_axisy", "x_axisz", "y_axisx", "y_axisy", "y_axisz",
        "z_axisx", "z_axisy", "z_axisz", "focal", "scalex", "scaley", "centerx", "centery"})
    out << "property float " << name << '\n';
  out << "property int viewportx\nproperty int viewporty\nproperty float k1\nproperty float k2\nend_header\n";
  return out.str();
}

void write_ply_point(std::ostream& out, const Fields& fields, const std::uint8_t* point) {
  for (const pcl::PCLPointField& field : fields) {
    const std::uint8_t* const bytes = point + field.offset;
    if (is_colour(field)) {  // packed as 0xAARRGGBB
      const std::uint8_t rgba[4] = {bytes[2], bytes[1], bytes[0], bytes[3]};
      write_bytes(out, rgba, field.name == "rgba" ? 4 : 3);
    } else {
      write_bytes(out, bytes, bytes_of(field));
    }
  }
}

void write_camera(std::ostream& out, const CloudFile& file) {
  const std::array<float, 7>& pose = file.viewpoint;
  const Eigen::Matrix3f axes = Eigen::Quaternionf(pose[3], pose[4], pose[5], pose[6]).toRotationMatrix();
  const std::int32_t viewport[2] = {static_cast<std::int32_t>(file.cloud.width),
                                    static_cast<std::int32_t>(file.cloud.height)};
  const float none[5] = {};
  write_bytes(out, pose.data(), 3 * sizeof(float));
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) write_bytes(out, &axes(row, column), sizeof(float));
  write_bytes(out, none, 5 * sizeof(float));
  write_bytes(out, viewport, sizeof(viewport));
  write_bytes(out, none, 2 * sizeof(float));
}

}  // namespace

void write_pcd(const CloudFile& file, std::ostream& out) {
  const Fields fields = named_fields(file.cloud);
  std::ostringstream header = header_stream(), sizes, types, counts;
  header << "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS";
  for (const pcl::PCLPointField& field : fields) {
    header << ' ' << field.name;
    sizes << ' ' << pcl::getFieldSize(field.datatype);
    types << ' ' << pcl::getFieldType(field.datatype);
    counts << ' ' << count_of(field);
  }
  header << "\nSIZE" << sizes.str() << "\nTYPE" << types.str() << "\nCOUNT" << counts.str();
  header << "\nWIDTH " << file.cloud.width << "\nHEIGHT " << file.cloud.height << "\nVIEWPOINT";
  for (const float value : file.viewpoint) header << ' ' << value;
  header << "\nPOINTS " << std::size_t{file.cloud.width} * file.cloud.height << "\nDATA binary\n";
  out << header.str();
  for_each_point(file.cloud, [&](const std::uint8_t* point) {
    for (const pcl::PCLPointField& field : fields) write_bytes(out, point + field.offset, bytes_of(field));
  });
}

void write_ply(const CloudFile& file, std::ostream& out) {
  const Fields fields = named_fields(file.cloud);
  out << ply_header(file.cloud, fields);
  for_each_point(file.cloud, [&](const std::uint8_t* point) { write_ply_point(out, fields, point); });
  write_camera(out, file);
}

}  // namespace pcl_attention::command
