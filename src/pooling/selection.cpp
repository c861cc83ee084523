// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/selection.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace pcl_attention {
namespace {

std::size_t number_kept(const Selection& selection, std::size_t m) {
  if (selection.kind == SelectionKind::count) return std::min(selection.count, m);
  return std::min(m, static_cast<std::size_t>(std::ceil(selection.fraction * static_cast<double>(m))));
}

}  // namespace

void Selection::check() const {
  if (kind == SelectionKind::fraction && !(fraction >= 0.0 && fraction <= 1.0))
    throw std::invalid_argument("the fraction of points to keep is " + std::to_string(fraction) +
                                ", expected 0 to 1");
  if (kind == SelectionKind::threshold && !(std::isfinite(threshold) && threshold >= 0.0))
    throw std::invalid_argument("the threshold is " + std::to_string(threshold) +
                                ", expected a finite number of 0 or more");
}

std::vector<std::uint8_t> select_points(const std::vector<double>& values,
                                        const std::vector<std::uint32_t>& ranked,
                                        const Selection& selection) {
  selection.check();
  std::vector<std::uint32_t> points;
  points.reserve(ranked.size());
  for (const std::uint32_t point : ranked)
    if (!std::isnan(values[point])) points.push_back(point);

  std::vector<std::uint8_t> keep(values.size(), 0);
  if (selection.kind == SelectionKind::threshold) {
    const double m = static_cast<double>(points.size());
    for (const std::uint32_t point : points) keep[point] = values[point] * m >= selection.threshold ? 1 : 0;
    return keep;
  }
  std::stable_sort(points.begin(), points.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return values[a] > values[b]; });
  points.resize(number_kept(selection, points.size()));
  for (const std::uint32_t point : points) keep[point] = 1;
  return keep;
}

}  // namespace pcl_attention
