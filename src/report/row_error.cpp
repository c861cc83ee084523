// SPDX-License-Identifier: BSD-3-Clause
#include "report/row_error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ratio(double numerator, double denominator) {
  if (numerator == 0.0) return 0.0;
  return denominator > 0.0 ? numerator / denominator : kInfinity;
}

constexpr std::size_t kBlock = 1024;  ///< rows that one thread compares at a time

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

struct Sums {
  double difference = 0.0, a = 0.0, b = 0.0;
};

/// What is known of some of the rows.
struct Part {
  Sums sums;
  RowError error;
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

/// Adds the rows behind `part`.
void append(const Part& next, Part& part) {
  part.sums.difference += next.sums.difference;
  part.sums.a += next.sums.a;
  part.sums.b += next.sums.b;
  if (next.error.max_abs > part.error.max_abs) {
    part.error.max_abs = next.error.max_abs;
    part.error.worst_row = next.error.worst_row;
  }
  part.error.nan_mismatches += next.error.nan_mismatches;
  part.error.bitwise_equal = part.error.bitwise_equal && next.error.bitwise_equal;
}

}  // namespace

RowError compare_rows(const Rows& a, const Rows& b, const std::vector<std::uint32_t>& source,
                      std::vector<double>& point_error) {
  std::vector<Part> parts((source.size() + kBlock - 1) / kBlock);
  for_each_block(source.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    Part part;
    for (std::size_t i = begin; i < end; ++i) {
      const double squared = add_row(a.row(i), b.row(source[i]), b.width, source[i], part.sums, part.error);
      part.sums.difference += squared;
      if (point_error.empty()) continue;
      point_error[source[i]] = std::max(point_error[source[i]], std::sqrt(squared));
    }
    parts[begin / kBlock] = part;
  });
  Part all;
  for (const Part& part : parts) append(part, all);
  RowError error = all.error;
  error.relative_l2 = ratio(std::sqrt(all.sums.difference), std::sqrt(all.sums.b));
  error.emlp = ratio(std::sqrt(all.sums.difference), std::sqrt(all.sums.a) + std::sqrt(all.sums.b));
  if (error.nan_mismatches != 0) error.relative_l2 = error.emlp = kInfinity;
  return error;
}

}  // namespace pcl_attention
