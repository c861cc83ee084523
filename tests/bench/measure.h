// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace pcl_attention::bench {

/// Seconds on the clock, and on the processors over all threads of this program.
struct Seconds {
  double wall = 0.0, cpu = 0.0;
};

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns what one call takes.
template <class Body>
Seconds time_call(const Body& body) {
  const double wall = clock_seconds(CLOCK_MONOTONIC), cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  body();
  return {clock_seconds(CLOCK_MONOTONIC) - wall, clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

/// Returns the middle of the sorted numbers; the mean of the two in the middle if their count is even.
inline double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t n = numbers.size();
  return n % 2 == 1 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2;
}

/// What the calls of one contestant took.
struct Samples {
  std::vector<double> wall, cpu;

  void add(const Seconds& seconds) {
    wall.push_back(seconds.wall);
    cpu.push_back(seconds.cpu);
  }
  double worst() const { return *std::max_element(wall.begin(), wall.end()); }
};

/// Calls the contestants one after the other, round by round, so that all meet the same machine. The first
/// round warms up and is not kept.
inline std::vector<Samples> take_turns(std::size_t rounds,
                                       const std::vector<std::function<void()>>& contestants) {
  std::vector<Samples> result(contestants.size());
  for (std::size_t round = 0; round <= rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const Seconds seconds = time_call(contestants[i]);
      if (round != 0) result[i].add(seconds);
    }
  return result;
}

}  // namespace pcl_attention::bench
