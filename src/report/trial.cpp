// SPDX-License-Identifier: BSD-3-Clause
#include "report/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace pcl_attention {
namespace {

constexpr double kFloatRounding = 1e-6, kDoubleRounding = 1e-12;

template <class T>
bool has_nan(const T* row, std::size_t width) {
  return std::any_of(row, row + width, [](T value) { return std::isnan(value); });
}

/// Returns the smallest value that at least 95 % of the values do not exceed.
double p95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() * 95 + 99) / 100 - 1];
}

struct Spread {
  double max, mean, p95;
};

Spread spread_of(const std::vector<Trial>& trials, double Trial::*member) {
  std::vector<double> values;
  for (const Trial& trial : trials) values.push_back(trial.*member);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {*std::max_element(values.begin(), values.end()), sum / static_cast<double>(values.size()),
          p95(values)};
}

Trial trial_of(const std::string& change, const RowError& error) {
  const double flips = error.compared == 0
                           ? 0.0
                           : static_cast<double>(error.label_flips) / static_cast<double>(error.compared);
  return {change, error.relative_l2,    error.emlp,         error.max_abs, error.worst_row,
          flips,  error.nan_mismatches, error.bitwise_equal};
}

}  // namespace

template <class T>
Trial make_trial(const std::string& change, const RowsOf<T>& a, const RowsOf<T>& b,
                 const std::vector<std::uint32_t>& source, std::vector<double>& point_error) {
  if (a.width != b.width || a.size() != source.size())
    throw std::invalid_argument("measure_sensitivity: the operator gave " + std::to_string(a.size()) +
                                " rows of " + std::to_string(a.width) + " numbers, expected " +
                                std::to_string(source.size()) + " of " + std::to_string(b.width));
  return trial_of(change, compare_rows(a, b, source, point_error));
}

template Trial make_trial(const std::string&, const RowsOf<double>&, const RowsOf<double>&,
                          const std::vector<std::uint32_t>&, std::vector<double>&);
template Trial make_trial(const std::string&, const RowsOf<float>&, const RowsOf<float>&,
                          const std::vector<std::uint32_t>&, std::vector<double>&);

Trial make_kept_trial(const std::string& change, const Rows& a, const Rows& b,
                      const std::vector<std::uint32_t>& source, std::vector<double>& point_error) {
  std::vector<std::uint8_t> present(b.size(), 0), kept(b.size(), 0);
  for (std::size_t i = 0; i < source.size(); ++i) {
    present[source[i]] = 1;
    if (a.values[i] != 0.0) kept[source[i]] = 1;
  }
  std::vector<std::uint8_t> ours, theirs(b.values.begin(), b.values.end());
  std::vector<std::uint32_t> points;
  for (std::uint32_t i = 0; i < b.size(); ++i) {
    if (present[i] == 0) continue;
    points.push_back(i);
    ours.push_back(kept[i]);
  }
  RowError error;
  error.relative_l2 = 1.0 - compare_kept(ours, theirs, points, point_error);
  error.emlp = error.max_abs = error.relative_l2;
  error.bitwise_equal = error.relative_l2 == 0.0;
  return trial_of(change, error);
}

std::vector<std::uint8_t> kept_by(const KeepOperator& apply, const CloudView& cloud) {
  std::vector<std::uint8_t> kept(cloud.num_points(), 0);
  for (const std::int32_t point : apply(cloud)) {
    const auto at = static_cast<std::size_t>(point);
    if (point < 0 || at >= kept.size() || kept[at] != 0)
      throw std::invalid_argument("kept set: point " + std::to_string(point) + " of " +
                                  std::to_string(kept.size()) + " is out of range or kept twice");
    kept[at] = 1;
  }
  return kept;
}

Trial make_set_trial(const std::string& change, const Rows& a, const Rows& b) {
  if (a.width != b.width)
    throw std::invalid_argument("measure_sensitivity: the operator gave rows of " + std::to_string(a.width) +
                                " numbers, expected " + std::to_string(b.width));
  return trial_of(change, compare_sets(a, b));
}

PermutationError summarise(const std::vector<Trial>& trials) {
  if (trials.empty()) throw std::invalid_argument("measure_sensitivity: no trials");
  PermutationError error;
  error.count = trials.size();
  const Spread l2 = spread_of(trials, &Trial::relative_l2), emlp = spread_of(trials, &Trial::emlp);
  error.max_relative_l2 = l2.max, error.mean_relative_l2 = l2.mean, error.p95_relative_l2 = l2.p95;
  error.max_emlp = emlp.max, error.mean_emlp = emlp.mean, error.p95_emlp = emlp.p95;
  const Trial& worst = *std::max_element(
      trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.max_abs < b.max_abs; });
  error.max_abs = worst.max_abs;
  error.worst_point = worst.worst_point;
  error.worst_permutation = worst.change;
  for (const Trial& trial : trials) {
    error.nan_mismatches += trial.nan_mismatches;
    error.bitwise_equal = error.bitwise_equal && trial.bitwise_equal;
  }
  return error;
}

void finish(ChangeError& error) {
  error.error = summarise(error.trials);
  const Spread flips = spread_of(error.trials, &Trial::label_flips);
  error.max_label_flips = flips.max;
  error.mean_label_flips = flips.mean;
}

EquivarianceLevel level_of(const PermutationError& error, bool is_double) {
  if (error.bitwise_equal) return EquivarianceLevel::bitwise;
  const double limit = is_double ? kDoubleRounding : kFloatRounding;
  return error.max_relative_l2 <= limit ? EquivarianceLevel::rounding : EquivarianceLevel::none;
}

template <class T>
std::size_t scale_by_norm(const RowsOf<T>& rows, std::vector<double>& point_error) {
  double sum = 0.0;
  std::size_t valid = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (has_nan(rows.row(i), rows.width)) {
      if (!point_error.empty()) point_error[i] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    ++valid;
    for (std::size_t c = 0; c < rows.width; ++c) sum += double{rows.row(i)[c]} * double{rows.row(i)[c]};
  }
  if (sum == 0.0) return valid;
  const double scale = std::sqrt(static_cast<double>(valid) / sum);
  for (double& error : point_error) error *= scale;
  return valid;
}

template std::size_t scale_by_norm(const RowsOf<double>&, std::vector<double>&);
template std::size_t scale_by_norm(const RowsOf<float>&, std::vector<double>&);

}  // namespace pcl_attention
