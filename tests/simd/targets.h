// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "exec/buffer.h"
#include "hwy/targets.h"
#include "simd/kernels.h"

namespace pcl_attention::test {

/// Calls body() once on every instruction set that this machine has.
template <class Body>
void on_every_target(const Body& body) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// A tile of random numbers in [−size, size].
class RandomTile {
 public:
  RandomTile(std::size_t rows, std::uint32_t seed, float size = 1.0F) : rows_(rows) {
    std::mt19937 generator(seed);
    float* numbers = numbers_.reserve(rows * simd::kTilePoints + 16);
    for (std::size_t i = 0; i < rows * simd::kTilePoints; ++i)
      numbers[i] = size * (static_cast<float>(generator() >> 8) * (2.0F / 16777216.0F) - 1.0F);
  }
  std::size_t rows() const { return rows_; }
  float* data() { return numbers_.data(); }
  const float* data() const { return numbers_.data(); }
  double at(std::size_t row, std::size_t p) const {
    return static_cast<double>(numbers_.data()[row * simd::kTilePoints + p]);
  }

 private:
  std::size_t rows_;
  Buffer<float> numbers_;
};

}  // namespace pcl_attention::test
