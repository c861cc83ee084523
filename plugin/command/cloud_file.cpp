// SPDX-License-Identifier: BSD-3-Clause
#include "cloud_file.h"

#include <pcl/io/pcd_io.h>
#include <pcl/io/ply_io.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cloud_writer.h"
#include "files/cloud_header.h"
#include "files/file_bytes.h"
#include "files/whole_file.h"
#include "pcl_attention/error.h"

namespace pcl_attention::command {
namespace {

// An empty cloud with the header's fields: PCL's readers refuse files without points.
pcl::PCLPointCloud2 empty_cloud(const CloudHeader& header) {
  pcl::PCLPointCloud2 cloud;
  for (const Field& field : header.fields) {
    pcl::PCLPointField copy;
    copy.name = field.name;
    copy.offset = static_cast<pcl::uindex_t>(field.offset);
    copy.datatype = static_cast<std::uint8_t>(field.type);
    copy.count = static_cast<pcl::uindex_t>(field.count);
    cloud.fields.push_back(copy);
    cloud.point_step = static_cast<pcl::uindex_t>(field.offset + field.count * size_of(field.type));
  }
  cloud.height = 1;
  cloud.is_dense = 1;
  return cloud;
}

CloudFile read_kitti(const std::string& path, const CloudHeader& header) {
  CloudHeader layout;
  for (const char* name : {"x", "y", "z", "intensity"})
    layout.fields.push_back({name, FieldType::float32, layout.fields.size() * sizeof(float), 1});
  CloudFile file{empty_cloud(layout), {0, 0, 0, 1, 0, 0, 0}};
  pcl::PCLPointCloud2& cloud = file.cloud;
  cloud.width = static_cast<pcl::uindex_t>(header.width);
  cloud.row_step = cloud.width * cloud.point_step;
  cloud.data.resize(std::size_t{cloud.width} * cloud.point_step);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(cloud.data.data()), static_cast<std::streamsize>(cloud.data.size()));
  if (!in) throw FileError(path + ": cannot be read");
  return file;
}

// Calls read(cloud, origin, orientation, version) of one of PCL's readers.
template <class Read>
CloudFile read_with(const std::string& path, const Read& read) {
  CloudFile file;
  Eigen::Vector4f origin = Eigen::Vector4f::Zero();
  Eigen::Quaternionf orientation = Eigen::Quaternionf::Identity();
  int version = 0;
  int result = -1;
  try {
    result = read(file.cloud, origin, orientation, version);
  } catch (const std::exception& error) {
    throw FileError(path + ": PCL's reader refuses it: " + error.what());
  }
  if (result < 0) throw FileError(path + ": PCL's reader refuses it: the points are damaged");
  file.viewpoint = {origin[0],       origin[1],       origin[2],      orientation.w(),
                    orientation.x(), orientation.y(), orientation.z()};
  return file;
}

// PCL looks for header lines behind DATA, too: it is shown the header alone, and then the body.
CloudFile read_pcd(const std::string& path, const CloudHeader& header) {
  const std::string bytes = read_file_bytes(path);
  return read_with(path, [&](auto& cloud, auto& origin, auto& orientation, int& version) {
    pcl::PCDReader reader;
    std::istringstream head(bytes.substr(0, header.body));
    int encoding = 0;
    unsigned int index = 0;
    const int result = reader.readHeader(head, cloud, origin, orientation, version, encoding, index);
    if (result < 0) return result;
    if (header.encoding == CloudEncoding::ascii) {
      std::istringstream body(bytes.substr(header.body));
      return reader.readBodyASCII(body, cloud, version);
    }
    return reader.readBodyBinary(reinterpret_cast<const unsigned char*>(bytes.data()), cloud, version,
                                 header.encoding == CloudEncoding::binary_compressed,
                                 static_cast<unsigned int>(header.body));
  });
}

CloudFile read_ply(const std::string& path) {
  return read_with(path, [&](auto& cloud, auto& origin, auto& orientation, int& version) {
    return pcl::PLYReader().read(path, cloud, origin, orientation, version);
  });
}

// What the reader made must be what the header promised.
void check_read(const pcl::PCLPointCloud2& cloud, const CloudHeader& header, const std::string& path) {
  const std::size_t points = std::size_t{cloud.width} * cloud.height;
  if (points == header.width * header.height && cloud.data.size() == points * cloud.point_step) return;
  throw FileError(path + ": expected " + std::to_string(header.width * header.height) +
                  " points, PCL's reader found " + std::to_string(points) + " in " +
                  std::to_string(cloud.data.size()) + " bytes");
}

}  // namespace

CloudFile read_cloud(const std::string& path) {
  const CloudFormat format = cloud_format(path);
  if (format == CloudFormat::npy) throw FileError(path + ": expected a cloud (.pcd, .ply, .bin), came .npy");
  const CloudHeader header = read_cloud_header(path);
  if (format == CloudFormat::kitti_bin) return read_kitti(path, header);
  if (header.width * header.height == 0) return {empty_cloud(header), {0, 0, 0, 1, 0, 0, 0}};
  CloudFile file = format == CloudFormat::pcd ? read_pcd(path, header) : read_ply(path);
  check_read(file.cloud, header, path);
  return file;
}

void check_cloud_output(const std::string& path) {
  const CloudFormat format = cloud_format(path);
  if (format != CloudFormat::pcd && format != CloudFormat::ply)
    throw FileError(path + ": a cloud can be written as .pcd or .ply");
}

void write_cloud(const CloudFile& file, const std::string& path) {
  check_cloud_output(path);
  const bool pcd = cloud_format(path) == CloudFormat::pcd;
  write_whole_stream(path, [&](std::ostream& out) { pcd ? write_pcd(file, out) : write_ply(file, out); });
}

}  // namespace pcl_attention::command
