// SPDX-License-Identifier: BSD-3-Clause
#include "report/row_error.h"

#include <algorithm>
#include <array>
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

constexpr std::size_t kLanes = 4;
constexpr std::size_t kBlock = 1024;  ///< rows that one thread compares at a time
constexpr std::size_t kAhead = 8;     ///< rows from one that is asked for to the one compared

template <class T>
bool same_bits(const T* a, const T* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

struct Sums {
  double difference = 0.0, a = 0.0, b = 0.0;
};

/// What is known of some of the rows.
struct Part {
  Sums sums;
  RowError error;
};

void note_difference(double difference, std::size_t row, RowError& error) {
  if (!(difference > error.max_abs)) return;
  error.max_abs = difference;
  error.worst_row = row;
}

template <class T>
bool has_nan(const T* row, std::size_t width) {
  return std::any_of(row, row + width, [](T value) { return std::isnan(value); });
}

/// Returns where the largest of the numbers is; none is NaN.
template <class T>
std::size_t label(const T* row, std::size_t width) {
  std::array<T, kLanes> lanes;
  lanes.fill(-std::numeric_limits<T>::infinity());
  std::size_t c = 0;
  for (; c + kLanes <= width; c += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = row[c + l] > lanes[l] ? row[c + l] : lanes[l];
  T largest = *std::max_element(lanes.begin(), lanes.end());
  for (; c < width; ++c) largest = row[c] > largest ? row[c] : largest;
  return static_cast<std::size_t>(std::find(row, row + width, largest) - row);
}

/// Returns label(a) != label(b).
template <class T>
bool flips(const T* a, const T* b, std::size_t width) {
  const std::size_t at = label(a, width);
  unsigned above = 0, before = 0;
  for (std::size_t c = 0; c < width; ++c) above |= b[c] > b[at] ? 1U : 0U;
  for (std::size_t c = 0; c < at; ++c) before |= b[c] == b[at] ? 1U : 0U;
  return above != 0 || before != 0;
}

/// Adds a row with numbers that are not finite; returns ‖difference‖².
template <class T>
double add_odd_row(const T* a, const T* b, std::size_t width, std::size_t row, Part& part) {
  double squared = 0.0;
  for (std::size_t c = 0; c < width; ++c) {
    if (std::isnan(a[c]) && std::isnan(b[c])) continue;
    part.error.bitwise_equal = part.error.bitwise_equal && same_bits(a + c, b + c, 1);
    if (std::isnan(a[c]) || std::isnan(b[c])) {
      ++part.error.nan_mismatches;
      continue;
    }
    const double x = double{a[c]}, y = double{b[c]}, difference = x == y ? 0.0 : std::abs(x - y);
    squared += difference * difference;
    part.sums.a += x * x;
    part.sums.b += y * y;
    note_difference(difference, row, part.error);
  }
  if (has_nan(a, width) || has_nan(b, width)) return squared;
  ++part.error.compared;
  part.error.label_flips += flips(a, b, width) ? 1 : 0;
  return squared;
}

/// Sums of one row, and the largest |a − b|.
struct RowSums {
  Sums sums;
  double largest = 0.0;
};

/// Number c goes to lane c mod 4; the lanes are added in their sequence.
template <class T>
RowSums sum_row(const T* a, const T* b, std::size_t width) {
  double d2[kLanes]{}, a2[kLanes]{}, b2[kLanes]{}, most[kLanes]{};
  std::size_t c = 0;
  for (; c + kLanes <= width; c += kLanes) {
    double x[kLanes], y[kLanes], difference[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) x[l] = double{a[c + l]}, y[l] = double{b[c + l]};
    for (std::size_t l = 0; l < kLanes; ++l) difference[l] = x[l] - y[l];
    for (std::size_t l = 0; l < kLanes; ++l) d2[l] += difference[l] * difference[l];
    for (std::size_t l = 0; l < kLanes; ++l) a2[l] += x[l] * x[l];
    for (std::size_t l = 0; l < kLanes; ++l) b2[l] += y[l] * y[l];
    for (std::size_t l = 0; l < kLanes; ++l) most[l] = std::max(most[l], std::abs(difference[l]));
  }
  for (std::size_t l = 0; c < width; ++c, ++l) {
    const double x = double{a[c]}, y = double{b[c]}, difference = x - y;
    d2[l] += difference * difference;
    a2[l] += x * x;
    b2[l] += y * y;
    most[l] = std::max(most[l], std::abs(difference));
  }
  RowSums result;
  for (std::size_t l = 0; l < kLanes; ++l) {
    result.sums.difference += d2[l];
    result.sums.a += a2[l];
    result.sums.b += b2[l];
    result.largest = std::max(result.largest, most[l]);
  }
  return result;
}

template <class T>
double squared_norm(const T* row, std::size_t width) {
  double lanes[kLanes]{};
  std::size_t c = 0;
  for (; c + kLanes <= width; c += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += double{row[c + l]} * double{row[c + l]};
  for (std::size_t l = 0; c < width; ++c, ++l) lanes[l] += double{row[c]} * double{row[c]};
  double sum = 0.0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Adds one row; returns ‖difference‖².
template <class T>
double add_row(const T* a, const T* b, std::size_t width, std::size_t row, Part& part) {
  const bool same = same_bits(a, b, width);
  RowSums found;
  if (same)
    found.sums.a = found.sums.b = squared_norm(b, width);
  else
    found = sum_row(a, b, width);
  if (!std::isfinite(found.sums.a + found.sums.b)) return add_odd_row(a, b, width, row, part);
  part.sums.a += found.sums.a;
  part.sums.b += found.sums.b;
  ++part.error.compared;
  if (same) return 0.0;
  note_difference(found.largest, row, part.error);
  part.error.bitwise_equal = false;
  part.error.label_flips += flips(a, b, width) ? 1 : 0;
  return found.sums.difference;
}

/// Asks for a row, since rows of a shuffled cloud lie far from each other.
template <class T>
void fetch(const T* row, std::size_t width) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t c = 0; c < width; c += kLine) __builtin_prefetch(row + c);
  if (width != 0) __builtin_prefetch(row + width - 1);
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
  part.error.compared += next.error.compared;
  part.error.label_flips += next.error.label_flips;
  part.error.bitwise_equal = part.error.bitwise_equal && next.error.bitwise_equal;
}

}  // namespace

template <class T>
RowError compare_rows(const RowsOf<T>& a, const RowsOf<T>& b, const std::vector<std::uint32_t>& source,
                      std::vector<double>& point_error) {
  std::vector<Part> parts((source.size() + kBlock - 1) / kBlock);
  for_each_block(source.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    Part part;
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) {
        fetch(b.row(source[i + kAhead]), b.width);
        if (!point_error.empty()) __builtin_prefetch(&point_error[source[i + kAhead]], 1);
      }
      const double squared = add_row(a.row(i), b.row(source[i]), b.width, source[i], part);
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

template RowError compare_rows(const RowsOf<double>&, const RowsOf<double>&,
                               const std::vector<std::uint32_t>&, std::vector<double>&);
template RowError compare_rows(const RowsOf<float>&, const RowsOf<float>&, const std::vector<std::uint32_t>&,
                               std::vector<double>&);

}  // namespace pcl_attention
