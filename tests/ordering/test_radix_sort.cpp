// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "exec/parallel.h"
#include "ordering/radix_sort.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

/// Keys that differ in the bits of `mask` only, rows in random sequence.
KeyedRows random_pairs(std::size_t n, std::uint64_t mask) {
  std::mt19937_64 generator(n);
  KeyedRows pairs;
  for (std::size_t i = 0; i < n; ++i) {
    pairs.keys.push_back((generator() & mask) | (~mask & 0x5555555555555555));
    pairs.rows.push_back(static_cast<std::uint32_t>(generator()));
  }
  return pairs;
}

KeyedRows stably_sorted(const KeyedRows& pairs) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
  for (std::size_t i = 0; i < pairs.keys.size(); ++i) sorted.emplace_back(pairs.keys[i], pairs.rows[i]);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  KeyedRows result;
  for (const auto& [key, row] : sorted) {
    result.keys.push_back(key);
    result.rows.push_back(row);
  }
  return result;
}

class RadixSort : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RadixSort, AgreesWithAStableSortOnAnyNumberOfThreads) {
  const AllowThreads allow(8);
  ASSERT_EQ(count_threads_that_take_part(8), 8U);
  for (const std::size_t n : {0, 1, 2, 255, 16383, 16384, 16385, 200001}) {
    const KeyedRows pairs = random_pairs(n, GetParam()), expected = stably_sorted(pairs);
    for (const unsigned threads : {1U, 2U, 8U}) {
      KeyedRows sorted = pairs;
      with_threads(threads, [&] { radix_sort(sorted); });
      EXPECT_EQ(sorted.keys, expected.keys) << n;
      EXPECT_EQ(sorted.rows, expected.rows) << n;
    }
  }
}

// All bits, none, one, few distinct keys, one digit, digits apart, the highest bit.
INSTANTIATE_TEST_SUITE_P(Masks, RadixSort,
                         ::testing::Values(~std::uint64_t{0}, 0, 1, 7, 0xFF00, 0xF0000000000000F0,
                                           std::uint64_t{1} << 63));

}  // namespace
}  // namespace pcl_attention::test
