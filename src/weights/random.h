// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace pcl_attention {

/// Returns four random words for a counter and a key: Philox-4x32 with ten rounds. No state, so any
/// number of a sequence is found directly, and the same on every platform.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A sequence of random numbers, number `stream` of a seed.
class RandomSequence {
 public:
  RandomSequence(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  /// Returns the next word.
  std::uint32_t next();

  /// Returns a number in [0, 1) with 24 bits.
  double uniform() { return (next() >> 8) * (1.0 / 16777216.0); }

  /// Returns a number of mean 0 and variance 1: the sum of twelve uniform numbers − 6. Close to a normal
  /// distribution up to its limits ±6, and free of functions that differ between platforms.
  double normal();

 private:
  std::uint64_t seed_, stream_, counter_ = 0;
  std::array<std::uint32_t, 4> words_{};
};

}  // namespace pcl_attention
