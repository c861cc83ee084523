// SPDX-License-Identifier: BSD-3-Clause
#include "weights/random.h"

namespace pcl_attention {
namespace {

std::array<std::uint32_t, 2> split(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const auto [low0, high0] = split(std::uint64_t{0xD2511F53} * counter[0]);
    const auto [low1, high1] = split(std::uint64_t{0xCD9E8D57} * counter[2]);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::uint32_t RandomSequence::next() {
  const std::uint64_t position = counter_++;
  if (position % 4 == 0) {
    const auto block = split(position / 4);
    const auto stream = split(stream_);
    words_ = philox({block[0], block[1], stream[0], stream[1]}, split(seed_));
  }
  return words_[position % 4];
}

double RandomSequence::normal() {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return sum;
}

}  // namespace pcl_attention
