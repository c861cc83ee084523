// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <string>

namespace pcl_attention::bench {

/// Returns a line of /proc/self/status in bytes: VmRSS is resident now, VmHWM the most so far.
inline double memory_status(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name + ":") {
      double kilobytes = 0.0;
      status >> kilobytes;
      return 1024.0 * kilobytes;
    }
  return 0.0;
}

/// Growth of resident memory since construction, at its peak.
class ResidentPeak {
 public:
  ResidentPeak() {
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts again
    start_ = memory_status("VmRSS");
  }
  double bytes() const { return memory_status("VmHWM") - start_; }

 private:
  double start_ = 0.0;
};

}  // namespace pcl_attention::bench
