// SPDX-License-Identifier: BSD-3-Clause
#include "indoor_scene.h"

#include <cmath>
#include <limits>

namespace pcl_attention::command {
namespace {

using Vector = std::array<double, 3>;

struct Box {
  Vector low, high;
  double reflectivity;
};

struct Hit {
  double range = std::numeric_limits<double>::infinity();
  double cosine = 0.0;  // between ray and surface normal, ≥ 0
  double reflectivity = 0.0;
};

constexpr Vector room{6.0, 5.0, 2.8};
constexpr Vector sensor{0.5, 0.6, 1.6};

// Uniform in [0, 1), a function of seed and counter alone (the finaliser of SplitMix64).
double uniform(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15U + counter * 0xD1342543DE82EF95U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * (1.0 / 9007199254740992.0);
}

// About normal with variance 1, bounded: four uniform numbers.
double bell(std::uint64_t seed, std::uint64_t counter) {
  double sum = -2.0;
  for (std::uint64_t i = 0; i < 4; ++i) sum += uniform(seed, counter + i);
  return sum * 1.7320508075688772;
}

Box box(double x, double y, double z, double dx, double dy, double dz, double reflectivity) {
  return {{x, y, z}, {x + dx, y + dy, z + dz}, reflectivity};
}

void add_legs(double x, double y, double dx, double dy, double height, std::vector<Box>& boxes) {
  const double leg = 0.05;
  for (const double at_x : {x, x + dx - leg})
    for (const double at_y : {y, y + dy - leg}) boxes.push_back(box(at_x, at_y, 0.0, leg, leg, height, 0.3));
}

void add_table(double x, double y, std::vector<Box>& boxes) {
  boxes.push_back(box(x, y, 0.72, 1.4, 0.8, 0.03, 0.6));
  add_legs(x, y, 1.4, 0.8, 0.72, boxes);
  boxes.push_back(box(x + 0.2, y + 0.2, 0.75, 0.3, 0.2, 0.25, 0.8));
  boxes.push_back(box(x + 0.8, y + 0.3, 0.75, 0.15, 0.15, 0.1, 0.2));
}

void add_chair(double x, double y, std::vector<Box>& boxes) {
  boxes.push_back(box(x, y, 0.43, 0.42, 0.42, 0.04, 0.5));
  boxes.push_back(box(x, y + 0.38, 0.47, 0.42, 0.04, 0.5, 0.5));
  add_legs(x, y, 0.42, 0.42, 0.43, boxes);
}

std::vector<Box> furniture(std::uint64_t seed) {
  const auto shift = [&](std::uint64_t i) { return 0.4 * uniform(seed, i) - 0.2; };
  std::vector<Box> boxes;
  add_table(2.6 + shift(0), 2.0 + shift(1), boxes);
  add_chair(2.1 + shift(2), 1.1 + shift(3), boxes);
  add_chair(3.6 + shift(4), 3.2 + shift(5), boxes);
  boxes.push_back(box(5.55, 1.0 + shift(6), 0.0, 0.45, 0.9, 1.9, 0.7));  // cabinet
  boxes.push_back(box(1.2 + shift(7), 3.8 + shift(8), 0.0, 0.5, 0.4, 0.35, 0.4));
  return boxes;
}

// Nearest crossing of the ray with the faces of a box: entering it, or leaving it from inside.
Hit cross(const Box& solid, const Vector& direction, bool inside) {
  double enter = 0.0, leave = std::numeric_limits<double>::infinity();
  std::size_t enter_axis = 0, leave_axis = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double to_low = solid.low[axis] - sensor[axis], to_high = solid.high[axis] - sensor[axis];
    if (direction[axis] == 0.0) {
      if (to_low > 0.0 || to_high < 0.0) return {};
      continue;
    }
    const bool forward = direction[axis] > 0.0;
    const double first = (forward ? to_low : to_high) / direction[axis];
    const double second = (forward ? to_high : to_low) / direction[axis];
    if (first > enter) enter = first, enter_axis = axis;
    if (second < leave) leave = second, leave_axis = axis;
  }
  if (leave < enter || (!inside && enter <= 0.0)) return {};
  const std::size_t axis = inside ? leave_axis : enter_axis;
  return {inside ? leave : enter, std::abs(direction[axis]), solid.reflectivity};
}

// Looks along (0.8, 0.6, 0) and slightly down; u, v in (−1, 1) from the upper left.
Vector direction_of(double u, double v) {
  const double side = -1.3 * u, up = -0.15 - 0.85 * v;
  const Vector d{0.8 - 0.6 * side, 0.6 + 0.8 * side, up};
  const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  return {d[0] / length, d[1] / length, d[2] / length};
}

Hit nearest(const std::vector<Box>& boxes, const Vector& direction) {
  Hit best = cross({{0.0, 0.0, 0.0}, room, 0.65}, direction, true);
  for (const Box& solid : boxes) {
    const Hit hit = cross(solid, direction, false);
    if (hit.range < best.range) best = hit;
  }
  return best;
}

bool in_window(const Vector& p) {
  return p[1] > room[1] - 1e-6 && p[0] > 3.0 && p[0] < 4.4 && p[2] > 1.0 && p[2] < 2.1;
}

Vector along(const Vector& direction, double range) {
  return {sensor[0] + range * direction[0], sensor[1] + range * direction[1],
          sensor[2] + range * direction[2]};
}

ScenePoint point_of(const Vector& p, double intensity) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
          static_cast<float>(intensity)};
}

ScenePoint measure(const std::vector<Box>& boxes, const Vector& direction, std::uint64_t seed,
                   std::uint64_t counter) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Hit hit = nearest(boxes, direction);
  const double r = hit.range, lost = 0.01 + 0.002 * r * r;
  if (hit.cosine < 0.08 || in_window(along(direction, r)) || uniform(seed, counter) < lost)
    return {nan, nan, nan, 0.0F};
  const double noise = (0.002 + 0.001 * r * r) * bell(seed, counter + 1);
  const Vector p = along(direction, r + noise);
  const double intensity = hit.reflectivity * hit.cosine * (1.0 + 0.05 * bell(seed, counter + 5));
  return point_of(p, intensity);
}

// Lets dust return the ray instead of the surface, or leaves the point as it is.
bool add_dust(const Vector& direction, double share, std::uint64_t seed, std::uint64_t counter,
              ScenePoint& point) {
  if (!std::isfinite(point.x) || uniform(seed, counter) >= share) return false;
  const Vector surface{static_cast<double>(point.x), static_cast<double>(point.y),
                       static_cast<double>(point.z)};
  double range = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) range += (surface[axis] - sensor[axis]) * direction[axis];
  point = point_of(along(direction, (0.1 + 0.8 * uniform(seed, counter + 1)) * range), 0.05);
  return true;
}

}  // namespace

IndoorScene make_indoor_scene(const SceneOptions& options) {
  const std::size_t n = options.num_points;
  std::size_t rows = 1;
  while ((rows + 1) * (rows + 1) * 4 <= n * 3) ++rows;  // about 4 : 3
  const std::size_t columns = (n + rows - 1) / rows;
  IndoorScene scene;
  scene.width = options.organised ? columns : n;
  scene.height = options.organised ? rows : 1;
  for (std::size_t axis = 0; axis < 3; ++axis) scene.sensor[axis] = static_cast<float>(sensor[axis]);
  const std::vector<Box> boxes = furniture(options.seed);
  scene.points.reserve(scene.width * scene.height);
  for (std::size_t i = 0; i < scene.width * scene.height; ++i) {
    const double u = 2.0 * (static_cast<double>(i % columns) + 0.5) / static_cast<double>(columns) - 1.0;
    const double v = 2.0 * (static_cast<double>(i / columns) + 0.5) / static_cast<double>(rows) - 1.0;
    const Vector direction = direction_of(u, v);
    const std::uint64_t counter = 16 + 16 * std::uint64_t{i};
    scene.points.push_back(measure(boxes, direction, options.seed, counter));
    const bool stray = add_dust(direction, options.stray, options.seed, counter + 9, scene.points.back());
    scene.num_stray += stray ? 1 : 0;
  }
  return scene;
}

}  // namespace pcl_attention::command
