// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/equivariance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "attention/names.h"
#include "report/changed_cloud.h"
#include "report/row_error.h"
#include "report/trial.h"

namespace pcl_attention {
namespace {

std::vector<Permutation> choose_permutations(const EquivarianceOptions& options) {
  if (options.num_permutations == 0)
    throw std::invalid_argument("evaluate_equivariance: num_permutations is 0, expected at least 1");
  std::vector<Permutation> result;
  for (PermutationKind kind : {PermutationKind::reversed, PermutationKind::adjacent_swap,
                               PermutationKind::ends_exchanged, PermutationKind::block_rotation})
    result.push_back({kind, options.seed});
  while (result.size() < options.num_permutations)
    result.push_back({PermutationKind::random, options.seed + result.size() - 4});
  result.resize(options.num_permutations);
  return result;
}

Rows any_rows_of(const RowOperator& apply, const CloudView& cloud) {
  Rows rows;
  rows.width = apply(cloud, rows.values);
  if (rows.width == 0 ? !rows.values.empty() : rows.values.size() % rows.width != 0)
    throw std::invalid_argument("evaluate_equivariance: the operator gave " +
                                std::to_string(rows.values.size()) + " numbers in rows of " +
                                std::to_string(rows.width));
  return rows;
}

Rows rows_of(const RowOperator& apply, const CloudView& cloud, std::size_t num_rows) {
  Rows rows;
  rows.width = apply(cloud, rows.values);
  if (rows.values.size() != rows.width * num_rows)
    throw std::invalid_argument(
        "evaluate_equivariance: the operator gave " + std::to_string(rows.values.size()) + " numbers for " +
        std::to_string(num_rows) + " rows of " + std::to_string(rows.width) + " numbers each");
  return rows;
}

void check_width(const Rows& rows, const Rows& expected) {
  if (rows.width != expected.width)
    throw std::invalid_argument("evaluate_equivariance: the operator's rows change their width");
}

bool has_nan(const double* row, std::size_t width) {
  return std::any_of(row, row + width, [](double value) { return std::isnan(value); });
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Returns the smallest value that at least 95 % of the values do not exceed.
double p95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() * 95 + 99) / 100 - 1];
}

double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

/// Gathers the errors of all permutations.
class Collector {
 public:
  explicit Collector(PermutationError& error) : error_(error) {}

  void add(const RowError& one, const Permutation& permutation) {
    relative_.push_back(one.relative_l2);
    emlp_.push_back(one.emlp);
    if (one.max_abs > error_.max_abs || error_.worst_permutation.empty()) {
      error_.max_abs = one.max_abs;
      error_.worst_point = one.worst_row;
      error_.worst_permutation = to_string(permutation);
    }
    error_.nan_mismatches += one.nan_mismatches;
    error_.bitwise_equal = error_.bitwise_equal && one.bitwise_equal;
  }

  void finish() {
    error_.count = relative_.size();
    error_.max_relative_l2 = largest(relative_);
    error_.mean_relative_l2 = mean(relative_);
    error_.p95_relative_l2 = p95(relative_);
    error_.max_emlp = largest(emlp_);
    error_.mean_emlp = mean(emlp_);
    error_.p95_emlp = p95(emlp_);
  }

 private:
  PermutationError& error_;
  std::vector<double> relative_, emlp_;
};

/// Applies an operator to the cloud and to its permutations.
/// @param apply    gives f of a cloud
/// @param compare  error of f(P X) against f(X); source as make_permutation() gives it
/// @return f(X)
template <class Apply, class Compare>
auto try_permutations(const CloudView& cloud, const EquivarianceOptions& options, const Apply& apply,
                      const Compare& compare, EquivarianceReport& report) {
  cloud.check();
  const std::vector<Permutation> permutations = choose_permutations(options);
  const auto progress = [&](std::size_t calls) {
    if (options.progress)
      options.progress(static_cast<double>(calls) / static_cast<double>(permutations.size() + 1));
  };
  progress(0);
  report.points = cloud.num_points();
  report.seed = options.seed;
  auto expected = apply(cloud);
  Collector collector(report.permutation);
  for (std::size_t i = 0; i < permutations.size(); ++i) {
    progress(i + 1);
    const ChangedCloud permuted(cloud, make_permutation(permutations[i], report.points));
    collector.add(compare(apply(permuted.view()), expected, permuted.source()), permutations[i]);
  }
  collector.finish();
  report.level = level_of(report.permutation, options.is_double);
  progress(permutations.size() + 1);
  return expected;
}

std::size_t count_valid(const Rows& rows) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) count += has_nan(rows.row(i), rows.width) ? 0 : 1;
  return count;
}

}  // namespace

EquivarianceReport evaluate_equivariance(const CloudView& cloud, const RowOperator& apply,
                                         const EquivarianceOptions& options) {
  EquivarianceReport report;
  report.point_error.assign(cloud.num_points(), 0.0);
  const auto rows = [&](const CloudView& view) { return rows_of(apply, view, cloud.num_points()); };
  const auto compare = [&](const Rows& a, const Rows& b, const std::vector<std::uint32_t>& source) {
    check_width(a, b);
    return compare_rows(a, b, source, report.point_error);
  };
  const Rows expected = try_permutations(cloud, options, rows, compare, report);
  report.valid_points = scale_by_norm(expected, report.point_error);
  return report;
}

EquivarianceReport evaluate_kept_set(const CloudView& cloud, const KeepOperator& apply,
                                     const EquivarianceOptions& options) {
  using Kept = std::vector<std::uint8_t>;
  EquivarianceReport report;
  report.output = OutputKind::kept_set;
  report.point_error.assign(cloud.num_points(), 0.0);
  double sum = 0.0, least = 1.0;
  const auto kept = [&](const CloudView& view) { return kept_by(apply, view); };
  const auto compare = [&](const Kept& a, const Kept& b, const std::vector<std::uint32_t>& source) {
    const double jaccard = compare_kept(a, b, source, report.point_error);
    sum += jaccard;
    least = std::min(least, jaccard);
    RowError error;
    error.relative_l2 = error.emlp = error.max_abs = 1.0 - jaccard;
    error.bitwise_equal = jaccard == 1.0;
    return error;
  };
  const Kept expected = try_permutations(cloud, options, kept, compare, report);
  report.valid_points = static_cast<std::size_t>(std::count(expected.begin(), expected.end(), 1));
  const auto count = static_cast<double>(report.permutation.count);
  for (double& error : report.point_error) error /= count;
  report.permutation.min_jaccard = least;
  report.permutation.mean_jaccard = sum / count;
  if (report.level == EquivarianceLevel::rounding) report.level = EquivarianceLevel::none;
  return report;
}

EquivarianceReport evaluate_unordered_set(const CloudView& cloud, const RowOperator& apply,
                                          const EquivarianceOptions& options) {
  EquivarianceReport report;
  report.output = OutputKind::unordered_set;
  const auto rows = [&](const CloudView& view) { return any_rows_of(apply, view); };
  const auto compare = [&](const Rows& a, const Rows& b, const std::vector<std::uint32_t>&) {
    check_width(a, b);
    return compare_sets(a, b);
  };
  report.valid_points = count_valid(try_permutations(cloud, options, rows, compare, report));
  return report;
}

EquivarianceReport evaluate_global_row(const CloudView& cloud, const RowOperator& apply,
                                       const EquivarianceOptions& options) {
  EquivarianceReport report;
  report.output = OutputKind::global_row;
  std::vector<double> error(1, 0.0);
  const auto rows = [&](const CloudView& view) { return rows_of(apply, view, 1); };
  const auto compare = [&](const Rows& a, const Rows& b, const std::vector<std::uint32_t>&) {
    check_width(a, b);
    return compare_rows(a, b, {0}, error);
  };
  report.valid_points = count_valid(try_permutations(cloud, options, rows, compare, report));
  return report;
}

EquivarianceReport evaluate_equivariance(const CloudView& cloud, Encoder& encoder,
                                         const EquivarianceOptions& options) {
  OrderDiagnostics order;
  const auto apply = [&](const CloudView& view, std::vector<double>& rows) {
    const std::size_t width = encoder.model().config().output_width();
    rows.resize(view.num_points() * width);
    EncodeInput input;
    input.surface = view;
    order = encoder.encode(input, rows.data()).order;
    return width;
  };
  EquivarianceOptions with_precision = options;
  with_precision.is_double = encoder.is_double();
  EquivarianceReport report = evaluate_equivariance(cloud, apply, with_precision);
  report.model = encoder.model().config().name;
  report.model_hash = encoder.model().hash();
  report.engine = encoder.engine();
  report.ordering = to_string(encoder.order());
  report.order = order;
  return report;
}

}  // namespace pcl_attention
