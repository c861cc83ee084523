// SPDX-License-Identifier: BSD-3-Clause
#include "files/cloud_header.h"

#include <algorithm>
#include <filesystem>

#include "files/file_bytes.h"
#include "files/pcd_header.h"
#include "files/ply_header.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

CloudHeader kitti_header(const std::string& path, std::size_t size) {
  constexpr std::size_t point = 4 * sizeof(float);
  if (size % point != 0)
    throw FileError(path + ": expected points of 16 bytes (x y z intensity, float32), the file has " +
                    std::to_string(size) + " bytes");
  CloudHeader header;
  header.format = CloudFormat::kitti_bin;
  header.encoding = CloudEncoding::binary;
  header.width = size / point;
  for (const char* name : {"x", "y", "z", "intensity"})
    header.fields.push_back({name, FieldType::float32, header.fields.size() * sizeof(float), 1});
  return header;
}

}  // namespace

CloudFormat cloud_format(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (extension == ".pcd") return CloudFormat::pcd;
  if (extension == ".ply") return CloudFormat::ply;
  if (extension == ".bin") return CloudFormat::kitti_bin;
  if (extension == ".npy") return CloudFormat::npy;
  throw FileError(path + ": expected a name that ends in .pcd, .ply, .bin or .npy");
}

CloudHeader read_cloud_header(const std::string& path) {
  const CloudFormat format = cloud_format(path);
  if (format == CloudFormat::npy) throw FileError(path + ": expected a .pcd, .ply or .bin file");
  const std::string bytes = read_file_bytes(path);
  if (format == CloudFormat::kitti_bin) return kitti_header(path, bytes.size());
  if (bytes.empty()) throw FileError(path + ": the file is empty");
  TextLines lines(path, bytes);
  if (format == CloudFormat::pcd) {
    CloudHeader header = parse_pcd_header(lines);
    header.body = bytes.size() - lines.rest().size();
    check_pcd_body(header, lines);
    return header;
  }
  const PlyHeader header = parse_ply_header(lines);
  const std::size_t body = bytes.size() - lines.rest().size();
  const PlyViewport viewport = check_ply_body(header, lines);
  CloudHeader cloud = make_ply_cloud(header, viewport, path);
  cloud.body = body;
  return cloud;
}

}  // namespace pcl_attention
