// SPDX-License-Identifier: BSD-3-Clause
#include "report/surroundings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kSample = 512;

bool counts(const Point3& point, const MovingPoints& moving) {
  return is_finite(point) && !(moving.zero_is_invalid && point == Point3{});
}

/// Returns the squared distance to the nearest point elsewhere, infinity if there is none.
float nearest_squared(const Positions& positions, const float* p) {
  float nearest = std::numeric_limits<float>::infinity();
  for (const std::uint32_t i : positions.valid) {
    const float* const q = positions.xyz.data() + 3 * std::size_t{i};
    const float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2], squared = x * x + y * y + z * z;
    if (squared > 0.0F && squared < nearest) nearest = squared;
  }
  return nearest;
}

}  // namespace

Positions positions_of(const CloudView& cloud, const MovingPoints& moving) {
  const Triple position(cloud, {"x", "y", "z"}, moving.field_names);
  const std::size_t n = cloud.num_points();
  const double infinity = std::numeric_limits<double>::infinity();
  Positions result;
  Point3 least{infinity, infinity, infinity};
  for (std::size_t i = 0; i < n; ++i) {
    const Point3 point = position.read(cloud.point(i));
    if (!counts(point, moving)) continue;
    result.valid.push_back(static_cast<std::uint32_t>(i));
    for (std::size_t axis = 0; axis < 3; ++axis) least[axis] = std::min(least[axis], point[axis]);
  }
  result.xyz.assign(3 * n, std::numeric_limits<float>::quiet_NaN());
  for (const std::uint32_t i : result.valid) {
    const Point3 point = position.read(cloud.point(i));
    for (std::size_t axis = 0; axis < 3; ++axis)
      result.xyz[3 * std::size_t{i} + axis] = static_cast<float>(point[axis] - least[axis]);
  }
  return result;
}

Spacing median_spacing(const Positions& positions, std::uint64_t seed) {
  std::vector<std::uint32_t> chosen =
      make_permutation({PermutationKind::random, seed}, positions.valid.size());
  chosen.resize(std::min(chosen.size(), kSample));
  std::vector<float> nearest(chosen.size());
  for_each_block(chosen.size(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      nearest[i] =
          nearest_squared(positions, positions.xyz.data() + 3 * std::size_t{positions.valid[chosen[i]]});
  });
  nearest.erase(std::remove_if(nearest.begin(), nearest.end(), [](float d) { return !std::isfinite(d); }),
                nearest.end());
  if (nearest.empty()) return {};
  const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::nth_element(nearest.begin(), middle, nearest.end());
  return {std::sqrt(static_cast<double>(*middle)), nearest.size()};
}

std::string hash_of(const CloudView& cloud) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (std::size_t i = 0; i < cloud.num_points(); ++i) {
    const std::byte* const point = cloud.point(i);
    for (std::size_t b = 0; b < cloud.point_step; ++b)
      hash = (hash ^ std::to_integer<std::uint64_t>(point[b])) * 1099511628211ULL;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace pcl_attention
