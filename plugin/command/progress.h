// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>

#include "pcl_attention/encoder.h"

namespace pcl_attention::command {

/// Tells on standard error how long work will be and how far it is. Work below 1e11 operations is
/// silent. The time is estimated from the first share done. On a terminal the share done is rewritten in
/// place, elsewhere it is a line per tenth, from two seconds on.
class Progress {
 public:
  /// Prints the estimate for `runs` calls of encode() with `num_points` points each.
  Progress(const Encoder& encoder, std::size_t num_points, std::size_t runs);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns what encode() or a report takes as its callback; empty for short work.
  std::function<void(double done)> callback();

  /// Returns the same as controls of one call, which lasts no longer than this object.
  EncodeControls controls();

 private:
  void show(double done);

  bool long_work_ = false;
  bool terminal_ = false;
  bool told_time_ = false;
  int shown_ = -1;  // percent
  std::chrono::steady_clock::time_point start_;
};

}  // namespace pcl_attention::command
