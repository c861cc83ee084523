// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/memory.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>
#include <pcl/register_point_struct.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "support/clouds.h"

// Point types of the tests' own: `weight` is what filters write, the model reads x, y, z and intensity.

struct PlainPoint {
  PCL_ADD_POINT4D;
  float intensity = 0.0F, weight = 0.0F;
  std::uint16_t ring = 0;
  PCL_MAKE_ALIGNED_OPERATOR_NEW
};
POINT_CLOUD_REGISTER_POINT_STRUCT(PlainPoint,
                                  (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)(
                                      float, weight, weight)(std::uint16_t, ring, ring))

/// The same numbers in other types, another sequence, with holes, wider than its fields.
struct OddPoint {
  std::uint8_t intensity = 0;
  float z = 0.0F;
  double weight = 0.0;
  float y = 0.0F;
  std::uint16_t ring = 0;
  float x = 0.0F;
  char surplus[24] = {};

  Eigen::Vector3f getVector3fMap() const { return {x, y, z}; }  ///< pcl::Feature asks for it since PCL 1.14
};
POINT_CLOUD_REGISTER_POINT_STRUCT(OddPoint, (std::uint8_t, intensity,
                                             intensity)(float, z, z)(double, weight,
                                                                     weight)(float, y, y)(std::uint16_t, ring,
                                                                                          ring)(float, x, x))

namespace pcl_attention::test {

using PlainCloud = pcl::PointCloud<PlainPoint>;

/// Returns n random points; intensity and ring are whole numbers, so that every type holds them.
inline PlainCloud::Ptr plain_cloud(std::size_t n, std::uint32_t seed) {
  const FloatCloud values = random_cloud(n, seed, {"x", "y", "z", "a", "b"});
  PlainCloud::Ptr cloud(new PlainCloud);
  for (std::size_t i = 0; i < n; ++i) {
    PlainPoint p;
    p.x = values.row(i)[0];
    p.y = values.row(i)[1];
    p.z = values.row(i)[2];
    p.intensity = static_cast<float>(static_cast<int>((values.row(i)[3] + 1.0F) * 120.0F));
    p.weight = values.row(i)[4];
    p.ring = static_cast<std::uint16_t>(i % 16);
    cloud->push_back(p);
  }
  return cloud;
}

inline pcl::PointCloud<OddPoint>::Ptr odd_cloud(const PlainCloud& plain) {
  pcl::PointCloud<OddPoint>::Ptr cloud(new pcl::PointCloud<OddPoint>);
  for (const PlainPoint& p : plain) {
    OddPoint q;
    q.x = p.x;
    q.y = p.y;
    q.z = p.z;
    q.intensity = static_cast<std::uint8_t>(p.intensity);
    q.weight = static_cast<double>(p.weight);
    q.ring = p.ring;
    cloud->push_back(q);
  }
  return cloud;
}

/// How a message lays out its points.
struct Layout {
  std::vector<std::pair<std::string, FieldType>> fields{
      {"x", FieldType::float32},         {"y", FieldType::float32},      {"z", FieldType::float32},
      {"intensity", FieldType::float32}, {"weight", FieldType::float32}, {"ring", FieldType::uint16}};
  std::size_t height = 1, gap = 0, row_gap = 0;  ///< bytes behind each point and row
  bool big_endian = false;
};

template <class T>
void put(double number, bool big_endian, std::uint8_t* at) {
  const T value = static_cast<T>(number);
  std::memcpy(at, &value, sizeof value);
  if (big_endian) std::reverse(at, at + sizeof value);
}

inline void put_number(double number, FieldType type, bool big_endian, std::uint8_t* at) {
  if (type == FieldType::float32) return put<float>(number, big_endian, at);
  if (type == FieldType::float64) return put<double>(number, big_endian, at);
  if (type == FieldType::uint8) return put<std::uint8_t>(number, big_endian, at);
  return put<std::uint16_t>(number, big_endian, at);
}

template <class T>
double get(const std::byte* at, bool big_endian) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, at, sizeof bytes);
  if (big_endian) std::reverse(bytes, bytes + sizeof bytes);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

inline double get_number(const std::byte* at, FieldType type, bool big_endian) {
  if (type == FieldType::float32) return get<float>(at, big_endian);
  if (type == FieldType::float64) return get<double>(at, big_endian);
  if (type == FieldType::uint8) return get<std::uint8_t>(at, big_endian);
  return get<std::uint16_t>(at, big_endian);
}

inline double number_of(const PlainPoint& p, const std::string& field) {
  if (field == "x") return static_cast<double>(p.x);
  if (field == "y") return static_cast<double>(p.y);
  if (field == "z") return static_cast<double>(p.z);
  if (field == "intensity") return static_cast<double>(p.intensity);
  if (field == "weight") return static_cast<double>(p.weight);
  return field == "ring" ? static_cast<double>(p.ring) : 77.0;  // 77: in padding
}

inline pcl::PCLPointCloud2::Ptr message_of_cloud(const PlainCloud& plain, const Layout& layout = {}) {
  pcl::PCLPointCloud2::Ptr message(new pcl::PCLPointCloud2);
  message->header = plain.header;
  message->is_dense = plain.is_dense;
  message->is_bigendian = layout.big_endian;
  message->height = static_cast<pcl::uindex_t>(layout.height);
  message->width = static_cast<pcl::uindex_t>(plain.size() / layout.height);
  std::size_t step = 0;
  for (const auto& [name, type] : layout.fields) {
    pcl::PCLPointField field;
    field.name = name;
    field.offset = static_cast<pcl::uindex_t>(step);
    field.datatype = static_cast<std::uint8_t>(type);
    field.count = 1;
    message->fields.push_back(field);
    step += size_of(type);
  }
  message->point_step = static_cast<pcl::uindex_t>(step + layout.gap);
  message->row_step = static_cast<pcl::uindex_t>(message->width * message->point_step + layout.row_gap);
  message->data.assign(message->row_step * layout.height, 0xA5);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    std::uint8_t* const point = message->data.data() + i / message->width * message->row_step +
                                i % message->width * message->point_step;
    for (std::size_t f = 0; f < layout.fields.size(); ++f)
      put_number(number_of(plain[i], layout.fields[f].first), layout.fields[f].second, layout.big_endian,
                 point + message->fields[f].offset);
  }
  return message;
}

}  // namespace pcl_attention::test
