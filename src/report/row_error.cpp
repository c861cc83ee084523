// SPDX-License-Identifier: BSD-3-Clause
#include "report/row_error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace pcl_attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ratio(double numerator, double denominator) {
  if (numerator == 0.0) return 0.0;
  return denominator > 0.0 ? numerator / denominator : kInfinity;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Sums over all rows seen so far.
struct Sums {
  double difference = 0.0, a = 0.0, b = 0.0;
};

/// Adds one row; returns ‖difference‖².
double add_row(const double* a, const double* b, std::size_t width, std::size_t row, Sums& sums,
               RowError& error) {
  double squared = 0.0;
  for (std::size_t c = 0; c < width; ++c) {
    if (std::isnan(a[c]) && std::isnan(b[c])) continue;
    error.bitwise_equal = error.bitwise_equal && same_bits(a[c], b[c]);
    if (std::isnan(a[c]) || std::isnan(b[c])) {
      ++error.nan_mismatches;
      continue;
    }
    const double difference = std::abs(a[c] - b[c]);
    squared += difference * difference;
    sums.a += a[c] * a[c];
    sums.b += b[c] * b[c];
    if (difference > error.max_abs) {
      error.max_abs = difference;
      error.worst_row = row;
    }
  }
  return squared;
}

}  // namespace

RowError compare_rows(const Rows& a, const Rows& b, const std::vector<std::uint32_t>& source,
                      std::vector<double>& point_error) {
  RowError error;
  Sums sums;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const double squared = add_row(a.row(i), b.row(source[i]), b.width, source[i], sums, error);
    sums.difference += squared;
    point_error[source[i]] = std::max(point_error[source[i]], std::sqrt(squared));
  }
  error.relative_l2 = ratio(std::sqrt(sums.difference), std::sqrt(sums.b));
  error.emlp = ratio(std::sqrt(sums.difference), std::sqrt(sums.a) + std::sqrt(sums.b));
  if (error.nan_mismatches != 0) error.relative_l2 = error.emlp = kInfinity;
  return error;
}

}  // namespace pcl_attention
