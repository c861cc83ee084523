// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace pcl_attention {

class Stopwatch {
 public:
  /// Returns the seconds since construction or the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pcl_attention
