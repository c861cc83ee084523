// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "exec/parallel.h"
#include "ordering/radix_sort.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

/// Keys that differ in the bits of `mask` only, with random rows.
KeyedRows random_rows(std::size_t n, std::uint64_t mask) {
  std::mt19937_64 generator(n);
  KeyedRows rows;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t key = (generator() & mask) | (~mask & 0x5555555555555555);
    rows.emplace_back(key, static_cast<std::uint32_t>(generator()));
  }
  return rows;
}

bool same_rows(const KeyedRows& a, const KeyedRows& b) {
  const auto same = [](const KeyedRow& x, const KeyedRow& y) { return x.key() == y.key() && x.row == y.row; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

TEST(KeyedRow, HoldsTheWholeKey) {
  const KeyedRow row(0x8765432112345678, 0xFFFFFFFE);
  EXPECT_EQ(row.key(), 0x8765432112345678U);
  EXPECT_EQ(row.row, 0xFFFFFFFEU);
}

class RadixSort : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RadixSort, AgreesWithAStableSortOnAnyNumberOfThreads) {
  const AllowThreads allow(8);
  ASSERT_EQ(count_threads_that_take_part(8), 8U);
  for (const std::size_t n : {0, 1, 2, 255, 16383, 16384, 16385, 200001}) {
    const KeyedRows rows = random_rows(n, GetParam());
    KeyedRows expected = rows;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const KeyedRow& a, const KeyedRow& b) { return a.key() < b.key(); });
    for (const unsigned threads : {1U, 2U, 8U}) {
      KeyedRows sorted = rows;
      with_threads(threads, [&] { radix_sort(sorted); });
      EXPECT_TRUE(same_rows(sorted, expected)) << n;
    }
  }
}

// All bits, none, one, few distinct keys, one digit, digits apart, the highest bit.
INSTANTIATE_TEST_SUITE_P(Masks, RadixSort,
                         ::testing::Values(~std::uint64_t{0}, 0, 1, 7, 0x3FF800, 0xF0000000000000F0,
                                           std::uint64_t{1} << 63));

}  // namespace
}  // namespace pcl_attention::test
