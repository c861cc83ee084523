// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"

namespace pcl_attention {

/// A copy of some points of a cloud, in a sequence of its own.
class ChangedCloud {
 public:
  /// @param source  new point i is old point source[i]; repeats allowed
  ChangedCloud(const CloudView& cloud, std::vector<std::uint32_t> source);
  ChangedCloud(ChangedCloud&&) = default;
  ChangedCloud(const ChangedCloud&) = delete;

  const CloudView& view() const { return view_; }
  const std::vector<std::uint32_t>& source() const { return source_; }
  std::byte* point(std::size_t i) { return bytes_.data() + i * view_.point_step; }

 private:
  CloudView view_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint32_t> source_;
};

/// Returns 0, 1, … n−1.
std::vector<std::uint32_t> every_point(std::size_t n);

using Point3 = std::array<double, 3>;

/// Three float fields of a point that are read and written together.
class Triple {
 public:
  /// @param names  fields, as a model names them
  /// @throws CloudError if one is missing, ambiguous or not one float32 or float64
  Triple(const CloudView& cloud, const std::array<const char*, 3>& names,
         const std::map<std::string, std::string>& field_names);

  Point3 read(const std::byte* point) const;
  void write(std::byte* point, const Point3& value) const;

 private:
  struct Place {
    std::size_t offset = 0;
    bool is_double = false;
  };
  std::array<Place, 3> places_;
  bool swap_ = false;
};

/// Returns true if all three numbers are finite.
bool is_finite(const Point3& point);

}  // namespace pcl_attention
