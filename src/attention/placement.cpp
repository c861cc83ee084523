// SPDX-License-Identifier: BSD-3-Clause
#include "attention/placement.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

constexpr double kRounding = 1e-12;  ///< of a mean: what equal numbers may seem to deviate by

struct Sum {
  std::array<double, 3> position{};
  double count = 0.0;

  std::array<double, 3> mean() const {
    std::array<double, 3> result = position;
    for (double& value : result) value /= std::max(count, 1.0);
    return result;
  }
};

/// Calls body(position) for the kept rows of chunk c.
template <class Body>
void for_kept(std::size_t c, const TokenRows& tokens, const std::uint8_t* keep, const Body& body) {
  const std::size_t end = std::min(tokens.n, (c + 1) * kChunkPoints);
  for (std::size_t i = c * kChunkPoints; i < end; ++i)
    if (keep == nullptr || keep[i] != 0) body(tokens.position(i));
}

std::size_t num_chunks(const TokenRows& tokens) { return (tokens.n + kChunkPoints - 1) / kChunkPoints; }

/// Returns the sum of value(position, axis) over the kept rows.
template <class Value>
Sum sum_of(const TokenRows& tokens, const std::uint8_t* keep, const Value& value) {
  const auto leaf = [&](std::size_t c) {
    Sum sum;
    for_kept(c, tokens, keep, [&](const float* position) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum.position[axis] += value(static_cast<double>(position[axis]), axis);
      sum.count += 1.0;
    });
    return sum;
  };
  const auto merge = [](Sum& left, const Sum& right) {
    for (std::size_t axis = 0; axis < 3; ++axis) left.position[axis] += right.position[axis];
    left.count += right.count;
  };
  return tree_reduce(0, num_chunks(tokens), leaf, merge);
}

std::array<double, 3> centroid(const TokenRows& tokens, const std::uint8_t* keep) {
  return sum_of(tokens, keep, [](double x, std::size_t) { return x; }).mean();
}

double largest_distance(const TokenRows& tokens, const std::uint8_t* keep,
                        const std::array<double, 3>& centre) {
  const auto leaf = [&](std::size_t c) {
    double largest = 0.0;
    for_kept(c, tokens, keep, [&](const float* position) {
      double squared = 0.0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double difference = static_cast<double>(position[axis]) - centre[axis];
        squared += difference * difference;
      }
      largest = std::max(largest, squared);
    });
    return largest;
  };
  const auto merge = [](double& left, double right) { left = std::max(left, right); };
  return std::sqrt(tree_reduce(0, num_chunks(tokens), leaf, merge));
}

}  // namespace

Placement make_placement(const InputSpec& input, const TokenRows& tokens, const std::uint8_t* keep,
                         const std::array<double, 3>& origin) {
  Placement placement;
  if (input.normalization == Normalization::none || input.normalization == Normalization::metric) {
    for (std::size_t axis = 0; axis < 3; ++axis) placement.centre[axis] = -origin[axis];
    if (input.normalization == Normalization::metric) placement.inverse_scale = 1.0 / input.metres;
    return placement;
  }
  if (tokens.n == 0) return placement;
  placement.centre = centroid(tokens, keep);
  if (input.normalization == Normalization::unit_sphere) {
    const double radius = largest_distance(tokens, keep, placement.centre);
    if (radius > 0.0) placement.inverse_scale = 1.0 / radius;
  }
  return placement;
}

AnchorBox anchor_box(const TokenRows& tokens, const std::uint8_t* keep) {
  if (tokens.n == 0) return {};
  const std::array<double, 3> mean = centroid(tokens, keep);
  const auto square = [&](double x, std::size_t axis) { return (x - mean[axis]) * (x - mean[axis]); };
  const std::array<double, 3> variance = sum_of(tokens, keep, square).mean();
  AnchorBox box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double half = std::sqrt(3.0 * variance[axis]);
    if (half <= kRounding * std::abs(mean[axis])) half = 0.0;
    box.low[axis] = mean[axis] - half;
    box.high[axis] = mean[axis] + half;
  }
  return box;
}

}  // namespace pcl_attention
