// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <optional>

#include "report/change.h"
#include "weights/random.h"

namespace pcl_attention {
namespace {

constexpr std::uint64_t kStream = 102;  ///< of the seed
constexpr double kRadians = 3.14159265358979323846 / 180.0;

using Matrix3 = std::array<Point3, 3>;

Point3 random_direction(std::uint64_t seed) {
  RandomSequence random(seed, kStream);
  for (;;) {
    const Point3 v{random.normal(), random.normal(), random.normal()};
    const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (length > 0.1) return {v[0] / length, v[1] / length, v[2] / length};
  }
}

/// R = cos I + (1 − cos) a aᵀ + sin [a]×  (Rodrigues)
Matrix3 rotation_about(const Point3& a, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Matrix3 r;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = (1.0 - c) * a[i] * a[j] + (i == j ? c : 0.0);
  r[0][1] -= s * a[2], r[0][2] += s * a[1], r[1][2] -= s * a[0];
  r[1][0] += s * a[2], r[2][0] -= s * a[1], r[2][1] += s * a[0];
  return r;
}

Matrix3 linear_part(const Change& change) {
  if (change.group == ChangeGroup::rotation)
    return rotation_about(random_direction(change.seed), change.size * kRadians);
  Matrix3 r{Point3{1, 0, 0}, Point3{0, 1, 0}, Point3{0, 0, 1}};
  if (change.group == ChangeGroup::reflection) {
    const auto axis = static_cast<std::size_t>(change.size);
    r[axis][axis] = -1.0;
  }
  return r;
}

Point3 times(const Matrix3& r, const Point3& p) {
  Point3 result;
  for (std::size_t i = 0; i < 3; ++i) result[i] = r[i][0] * p[0] + r[i][1] * p[1] + r[i][2] * p[2];
  return result;
}

bool moves(const Point3& point, const MovingPoints& moving) {
  return is_finite(point) && !(moving.zero_is_invalid && point == Point3{});
}

Point3 centroid(ChangedCloud& cloud, const Triple& position, const MovingPoints& moving) {
  Point3 sum{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < cloud.source().size(); ++i) {
    const Point3 point = position.read(cloud.point(i));
    if (!moves(point, moving)) continue;
    ++count;
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += point[axis];
  }
  if (count != 0)
    for (double& value : sum) value /= static_cast<double>(count);
  return sum;
}

bool has_normals(const CloudView& cloud) {
  std::size_t found = 0;
  for (const Field& field : cloud.fields)
    found += field.name == "normal_x" || field.name == "normal_y" || field.name == "normal_z" ? 1 : 0;
  return found == 3;
}

}  // namespace

void move_rigidly(ChangedCloud& cloud, const Change& change, const MovingPoints& moving) {
  const Triple position(cloud.view(), {"x", "y", "z"}, moving.field_names);
  const bool shifts = change.group == ChangeGroup::translation;
  std::optional<Triple> normal;
  if (!shifts && has_normals(cloud.view()))
    normal.emplace(cloud.view(), std::array<const char*, 3>{"normal_x", "normal_y", "normal_z"},
                   moving.field_names);
  const Matrix3 r = linear_part(change);
  const Point3 centre = shifts ? Point3{} : centroid(cloud, position, moving);
  const Point3 direction = shifts ? random_direction(change.seed) : Point3{};
  for (std::size_t i = 0; i < cloud.source().size(); ++i) {
    const Point3 p = position.read(cloud.point(i));
    if (!moves(p, moving)) continue;
    Point3 moved = times(r, {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]});
    for (std::size_t axis = 0; axis < 3; ++axis) moved[axis] += centre[axis] + change.size * direction[axis];
    position.write(cloud.point(i), moved);
    if (normal) normal->write(cloud.point(i), times(r, normal->read(cloud.point(i))));
  }
}

}  // namespace pcl_attention
