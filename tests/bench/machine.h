// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace pcl_attention::bench {

/// What a second brings at best, on the clock with some threads or on the processors.
struct Rates {
  double flops = 0.0, exponentials = 0.0;

  double seconds(double num_flops, double num_exponentials) const {
    return num_flops / flops + num_exponentials / exponentials;
  }
  void raise(double& rate, double work, double seconds) { rate = std::max(rate, work / seconds); }
};

/// Measures the rates of a large square sgemm of OpenBLAS and of exponentials in a bare loop.
class Machine {
 public:
  explicit Machine(int num_threads, std::size_t size)
      : num_threads_(num_threads), size_(size), a_(size * size, 0.5F), b_(a_), c_(a_) {}

  /// Measures once more; the best counts.
  void measure(Rates& clock, Rates& processor);

 private:
  Seconds bare_exponentials() const;

  int num_threads_;
  std::size_t size_;
  std::vector<float> a_, b_, c_;
};

/// Tells OpenBLAS which instruction set to use before it is loaded: starts this program again. Left to itself
/// it takes SSE3 on processors that came after it.
void choose_openblas(const std::string& target, char** argv);

/// Returns what OpenBLAS has chosen.
const char* openblas_core();

}  // namespace pcl_attention::bench
