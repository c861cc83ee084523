// SPDX-License-Identifier: BSD-3-Clause
#include "attention/placement.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

struct Sum {
  std::array<double, 3> position{};
  double count = 0.0;
};

/// Calls body(i) for the kept rows of chunk c.
template <class Body>
void for_kept(std::size_t c, std::size_t n, const std::uint8_t* keep, const Body& body) {
  const std::size_t end = std::min(n, (c + 1) * kChunkPoints);
  for (std::size_t i = c * kChunkPoints; i < end; ++i)
    if (keep == nullptr || keep[i] != 0) body(i);
}

std::array<double, 3> centroid(const float* positions, std::size_t n, const std::uint8_t* keep) {
  const auto leaf = [&](std::size_t c) {
    Sum sum;
    for_kept(c, n, keep, [&](std::size_t i) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum.position[axis] += static_cast<double>(positions[3 * i + axis]);
      sum.count += 1.0;
    });
    return sum;
  };
  const auto merge = [](Sum& left, const Sum& right) {
    for (std::size_t axis = 0; axis < 3; ++axis) left.position[axis] += right.position[axis];
    left.count += right.count;
  };
  Sum sum = tree_reduce(0, (n + kChunkPoints - 1) / kChunkPoints, leaf, merge);
  for (double& value : sum.position) value /= std::max(sum.count, 1.0);
  return sum.position;
}

double largest_distance(const float* positions, std::size_t n, const std::uint8_t* keep,
                        const std::array<double, 3>& centre) {
  const auto leaf = [&](std::size_t c) {
    double largest = 0.0;
    for_kept(c, n, keep, [&](std::size_t i) {
      double squared = 0.0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double difference = static_cast<double>(positions[3 * i + axis]) - centre[axis];
        squared += difference * difference;
      }
      largest = std::max(largest, squared);
    });
    return largest;
  };
  const auto merge = [](double& left, double right) { left = std::max(left, right); };
  return std::sqrt(tree_reduce(0, (n + kChunkPoints - 1) / kChunkPoints, leaf, merge));
}

}  // namespace

Placement make_placement(const InputSpec& input, const float* positions, std::size_t n,
                         const std::uint8_t* keep, const std::array<double, 3>& origin) {
  Placement placement;
  if (input.normalization == Normalization::none || input.normalization == Normalization::metric) {
    for (std::size_t axis = 0; axis < 3; ++axis) placement.centre[axis] = -origin[axis];
    if (input.normalization == Normalization::metric) placement.inverse_scale = 1.0 / input.metres;
    return placement;
  }
  if (n == 0) return placement;
  placement.centre = centroid(positions, n, keep);
  if (input.normalization == Normalization::unit_sphere) {
    const double radius = largest_distance(positions, n, keep, placement.centre);
    if (radius > 0.0) placement.inverse_scale = 1.0 / radius;
  }
  return placement;
}

}  // namespace pcl_attention
