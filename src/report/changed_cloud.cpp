// SPDX-License-Identifier: BSD-3-Clause
#include "report/changed_cloud.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "exec/parallel.h"
#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kBlock = 4096;  ///< points that one thread copies at a time

template <class T>
double read_as(const std::byte* bytes, bool swap) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), bytes, sizeof(T));
  if (swap) std::reverse(raw.begin(), raw.end());
  T value;
  std::memcpy(&value, raw.data(), sizeof(T));
  return static_cast<double>(value);
}

template <class T>
void write_as(std::byte* bytes, double number, bool swap) {
  const T value = static_cast<T>(number);
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  if (swap) std::reverse(raw.begin(), raw.end());
  std::memcpy(bytes, raw.data(), sizeof(T));
}

}  // namespace

ChangedCloud::ChangedCloud(const CloudView& cloud, std::vector<std::uint32_t> source)
    : view_(cloud), bytes_(source.size() * cloud.point_step), source_(std::move(source)) {
  for_each_block(source_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(point(i), cloud.point(source_[i]), cloud.point_step);
  });
  view_.data = bytes_.data();
  view_.size = bytes_.size();
  view_.width = source_.size();
  view_.height = 1;
  view_.row_step = 0;
  view_.rows = nullptr;
}

std::vector<std::uint32_t> every_point(std::size_t n) {
  std::vector<std::uint32_t> points(n);
  std::iota(points.begin(), points.end(), 0U);
  return points;
}

Triple::Triple(const CloudView& cloud, const std::array<const char*, 3>& names,
               const std::map<std::string, std::string>& field_names)
    : swap_(cloud.big_endian) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Field& field = cloud.fields[find_field(cloud, names[axis], field_names)];
    const bool is_float = field.type == FieldType::float32 || field.type == FieldType::float64;
    if (!is_float || field.count != 1)
      throw CloudError("field '" + field.name + "': expected one float32 or float64 to move, came " +
                       std::to_string(field.count) + " of type " +
                       std::to_string(static_cast<int>(field.type)));
    places_[axis] = {field.offset, field.type == FieldType::float64};
  }
}

Point3 Triple::read(const std::byte* point) const {
  Point3 value;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::byte* const bytes = point + places_[axis].offset;
    value[axis] = places_[axis].is_double ? read_as<double>(bytes, swap_) : read_as<float>(bytes, swap_);
  }
  return value;
}

void Triple::write(std::byte* point, const Point3& value) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::byte* const bytes = point + places_[axis].offset;
    if (places_[axis].is_double)
      write_as<double>(bytes, value[axis], swap_);
    else
      write_as<float>(bytes, value[axis], swap_);
  }
}

bool is_finite(const Point3& point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

}  // namespace pcl_attention
