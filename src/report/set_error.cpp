// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "exec/parallel.h"
#include "report/row_error.h"

namespace pcl_attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 64;  ///< rows that one thread treats at a time

/// Rows without NaN, sorted by their bytes.
std::vector<const double*> sorted_rows(const Rows& rows) {
  std::vector<const double*> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* const row = rows.row(i);
    if (std::none_of(row, row + rows.width, [](double value) { return std::isnan(value); }))
      result.push_back(row);
  }
  const std::size_t size = rows.width * sizeof(double);
  std::sort(result.begin(), result.end(),
            [&](const double* a, const double* b) { return std::memcmp(a, b, size) < 0; });
  return result;
}

double squared_distance(const double* a, const double* b, std::size_t width) {
  double sum = 0.0;
  for (std::size_t c = 0; c < width; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

double squared_norm(const std::vector<const double*>& rows, std::size_t width) {
  double sum = 0.0;
  for (const double* row : rows)
    for (std::size_t c = 0; c < width; ++c) sum += row[c] * row[c];
  return sum;
}

/// Adds the squared distances of a's rows to their nearest in b, and keeps the largest of them.
void add_nearest(const std::vector<const double*>& a, const std::vector<const double*>& b, std::size_t width,
                 double& sum, double& largest) {
  std::vector<double> nearest(a.size(), kInfinity);
  for_each_block(a.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (const double* row : b) nearest[i] = std::min(nearest[i], squared_distance(a[i], row, width));
  });
  for (const double value : nearest) {
    sum += value;
    largest = std::max(largest, value);
  }
}

double ratio(double numerator, double denominator) {
  if (numerator == 0.0) return 0.0;
  return denominator > 0.0 ? numerator / denominator : kInfinity;
}

}  // namespace

double compare_kept(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                    const std::vector<std::uint32_t>& source, std::vector<double>& point_error) {
  std::size_t both = 0, either = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool in_a = a[i] != 0, in_b = b[source[i]] != 0;
    both += in_a && in_b ? 1 : 0;
    either += in_a || in_b ? 1 : 0;
    if (in_a != in_b && !point_error.empty()) point_error[source[i]] += 1.0;
  }
  return either == 0 ? 1.0 : static_cast<double>(both) / static_cast<double>(either);
}

RowError compare_sets(const Rows& a, const Rows& b) {
  const std::vector<const double*> p = sorted_rows(a), q = sorted_rows(b);
  const std::size_t size = b.width * sizeof(double);
  RowError error;
  const std::size_t nan_a = a.size() - p.size(), nan_b = b.size() - q.size();
  error.nan_mismatches = std::max(nan_a, nan_b) - std::min(nan_a, nan_b);
  error.bitwise_equal = error.nan_mismatches == 0 && std::equal(p.begin(), p.end(), q.begin(), q.end(),
                                                                [&](const double* x, const double* y) {
                                                                  return std::memcmp(x, y, size) == 0;
                                                                });
  if (error.bitwise_equal) return error;
  double sum = 0.0, largest = 0.0;
  add_nearest(p, q, b.width, sum, largest);
  add_nearest(q, p, b.width, sum, largest);
  const double norm_a = squared_norm(p, b.width), norm_b = squared_norm(q, b.width);
  error.relative_l2 = ratio(std::sqrt(sum), std::sqrt(2.0 * norm_b));
  error.emlp = ratio(std::sqrt(sum), std::sqrt(2.0 * norm_a) + std::sqrt(2.0 * norm_b));
  error.max_abs = std::sqrt(largest);
  if (error.nan_mismatches != 0) error.relative_l2 = error.emlp = kInfinity;
  return error;
}

}  // namespace pcl_attention
