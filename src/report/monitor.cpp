// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "pcl_attention/equivariance_monitor.h"
#include "report/change.h"
#include "report/trial.h"

namespace pcl_attention {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

EquivarianceMonitor::EquivarianceMonitor(RowOperator apply, MonitorOptions options)
    : apply_(std::move(apply)), options_(std::move(options)) {
  if (!apply_) throw std::invalid_argument("EquivarianceMonitor: the operator is empty");
  if (options_.every == 0)
    throw std::invalid_argument("EquivarianceMonitor: every is 0, expected at least 1");
  if (!(options_.time_share > 0.0 && options_.time_share <= 1.0))
    throw std::invalid_argument("EquivarianceMonitor: time_share is " + std::to_string(options_.time_share) +
                                ", expected a number in (0, 1]");
  if (!options_.now) options_.now = steady_seconds;
}

bool EquivarianceMonitor::is_due() {
  const double now = options_.now();
  if (frames_ == 0) first_ = now;
  ++frames_;
  if (++since_check_ < options_.every || frames_ < 2) return false;
  const double elapsed = now - first_;
  const double next = checks_ == 0 ? elapsed / static_cast<double>(frames_ - 1) : longest_;
  return spent_ + next <= options_.time_share * elapsed;
}

MonitorCheck EquivarianceMonitor::check(const CloudView& cloud, std::vector<double> expected,
                                        std::size_t width) {
  const double start = options_.now();
  MonitorCheck result;
  result.frame = frames_ - 1;
  result.seed = options_.seed + checks_;
  const ChangedCloud changed =
      apply_change(cloud, {ChangeGroup::permutation, 0.0, result.seed, PermutationKind::random}, {});
  Rows rows;
  rows.width = apply_(changed.view(), rows.values);
  std::vector<double> unused;
  const Trial trial = make_trial("random", rows, {std::move(expected), width}, changed.source(), unused);
  result.relative_l2 = trial.relative_l2;
  result.max_abs = trial.max_abs;
  result.worst_point = trial.worst_point;
  result.bitwise_equal = trial.bitwise_equal;
  result.seconds = options_.now() - start;
  return result;
}

template <class T>
std::optional<MonitorCheck> EquivarianceMonitor::watch_rows(const CloudView& cloud, const T* rows,
                                                            std::size_t width) {
  if (!is_due()) return {};
  cloud.check();
  const MonitorCheck result = check(cloud, {rows, rows + cloud.num_points() * width}, width);
  ++checks_;
  since_check_ = 0;
  spent_ += result.seconds;
  longest_ = std::max(longest_, result.seconds);
  largest_ = std::max(largest_, result.relative_l2);
  return result;
}

std::optional<MonitorCheck> EquivarianceMonitor::watch(const CloudView& cloud, const float* rows,
                                                       std::size_t width) {
  return watch_rows(cloud, rows, width);
}

std::optional<MonitorCheck> EquivarianceMonitor::watch(const CloudView& cloud, const double* rows,
                                                       std::size_t width) {
  return watch_rows(cloud, rows, width);
}

}  // namespace pcl_attention
