// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/equivariance.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

struct MonitorOptions {
  std::size_t every = 100;      ///< frames from one check to the next, ≥ 1
  double time_share = 0.01;     ///< of the time since the first frame, in (0, 1]
  std::uint64_t seed = 1;       ///< of the permutations
  std::function<double()> now;  ///< seconds; empty: the steady clock
};

/// One check of a running operator.
struct MonitorCheck {
  std::size_t frame = 0;   ///< 0 = the first
  std::uint64_t seed = 0;  ///< of the random permutation tried: make_permutation() gives it again
  double relative_l2 = 0.0, max_abs = 0.0;
  std::size_t worst_point = 0;
  bool bitwise_equal = true;
  double seconds = 0.0;
};

/// Watches an operator at work: now and then one frame is shuffled, run again and compared with the rows the
/// node has already. One thread at a time per object.
class PCL_ATTENTION_EXPORT EquivarianceMonitor {
 public:
  /// @param apply  the operator, one row per point
  /// @throws std::invalid_argument for an option out of its range or an empty operator.
  explicit EquivarianceMonitor(RowOperator apply, MonitorOptions options = {});

  /// Returns the check if this frame was checked.
  ///
  /// A check is due `every` frames after the last (the first on frame every − 1). It is put off to a later
  /// frame while (seconds spent on checks so far + those of the longest check) > time_share · seconds since
  /// the first frame; before the first check its length is taken to be the mean time between frames. So
  /// checks cost at most that share, and one check's surplus over the longest before it.
  /// @param rows  [cloud.num_points() × width], row-major: f(cloud)
  /// @throws whatever the operator throws; std::invalid_argument if it gives another number of rows or width.
  /// Memory: two sets of rows and one copy of the cloud while a check runs.
  std::optional<MonitorCheck> watch(const CloudView& cloud, const float* rows, std::size_t width);
  std::optional<MonitorCheck> watch(const CloudView& cloud, const double* rows, std::size_t width);

  std::size_t frames() const { return frames_; }
  std::size_t checks() const { return checks_; }
  double seconds_spent() const { return spent_; }
  double largest_relative_l2() const { return largest_; }  ///< over all checks

 private:
  bool is_due();
  template <class T>
  std::optional<MonitorCheck> watch_rows(const CloudView& cloud, const T* rows, std::size_t width);
  MonitorCheck check(const CloudView& cloud, std::vector<double> expected, std::size_t width);

  RowOperator apply_;
  MonitorOptions options_;
  std::size_t frames_ = 0, since_check_ = 0, checks_ = 0;
  double first_ = 0.0, spent_ = 0.0, longest_ = 0.0, largest_ = 0.0;
};

}  // namespace pcl_attention
