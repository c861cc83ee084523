// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "report/change.h"

namespace pcl_attention {
namespace {

/// Returns `count` different points of n, ascending.
std::vector<std::uint32_t> random_points(std::size_t n, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> points = make_permutation({PermutationKind::random, seed}, n);
  points.resize(count);
  std::sort(points.begin(), points.end());
  return points;
}

std::size_t share_of(std::size_t n, double share) {
  return std::min(n, static_cast<std::size_t>(std::ceil(static_cast<double>(n) * share)));
}

}  // namespace

std::vector<std::uint32_t> choose_subset(std::size_t num_points, const Change& change) {
  return random_points(num_points, share_of(num_points, change.size), change.seed);
}

std::vector<std::uint32_t> choose_duplicates(std::size_t num_points, const Change& change) {
  std::vector<std::uint32_t> points = every_point(num_points);
  const auto twice = random_points(num_points, share_of(num_points, change.size), change.seed);
  points.insert(points.end(), twice.begin(), twice.end());
  return points;
}

}  // namespace pcl_attention
