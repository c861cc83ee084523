// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cuda_emulation/emulation.h"
#include "support/compare.h"

// Kernels run emulated on the CPU, their arrays are vectors of exactly the size that a kernel may touch.

namespace pcl_attention::test {

constexpr double kTolerance = 1e-5;  // relative L2 of float against double
constexpr float kUnset = std::numeric_limits<float>::quiet_NaN();

using Numbers = std::vector<float>;

/// Returns numbers in [−size, size].
inline Numbers random_numbers(std::size_t count, std::uint32_t seed, float size = 1.0F) {
  std::mt19937 generator(seed);
  Numbers numbers(count);
  for (float& x : numbers) x = size * (static_cast<float>(generator() >> 8) * (2.0F / 16777216.0F) - 1.0F);
  return numbers;
}

/// Returns flags of which about one in `every` is zero.
inline std::vector<std::uint8_t> random_mask(std::size_t count, std::uint32_t seed, std::uint32_t every = 4) {
  std::mt19937 generator(seed);
  std::vector<std::uint8_t> mask(count);
  for (std::uint8_t& flag : mask) flag = generator() % every != 0 ? 1 : 0;
  return mask;
}

/// Calls body() with threads and blocks run forward, in reverse, and shuffled.
template <class Body>
void on_every_schedule(const Body& body) {
  using cuda_emulation::Schedule;
  for (const Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::shuffled}) {
    SCOPED_TRACE("schedule " + std::to_string(static_cast<int>(schedule)));
    cuda_emulation::set_schedule(schedule, 7);
    body();
  }
  cuda_emulation::set_schedule(Schedule::forward);
}

inline double number(float x) { return static_cast<double>(x); }

}  // namespace pcl_attention::test
