// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "exec/parallel.h"
#include "ordering/radix_sort.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

/// Keys that differ in the bits of `mask` only, with random rows.
std::vector<KeyedRow> random_rows(std::size_t n, std::uint64_t mask) {
  std::mt19937_64 generator(n);
  std::vector<KeyedRow> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t key = (generator() & mask) | (~mask & 0x5555555555555555);
    rows.emplace_back(key, static_cast<std::uint32_t>(generator()));
  }
  return rows;
}

std::vector<KeyedRow> sorted_on(unsigned threads, std::uint64_t differing, std::vector<KeyedRow> rows) {
  std::vector<KeyedRow> spare(rows.size());
  std::vector<DigitCounts> counts(num_sort_blocks(rows.size()));
  const KeyedRows keyed{rows.data(), spare.data(), rows.size()};
  with_threads(threads, [&] { radix_sort(keyed, differing, counts.data()); });
  return rows;
}

bool same_rows(const std::vector<KeyedRow>& a, const std::vector<KeyedRow>& b) {
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
    const std::vector<KeyedRow> rows = random_rows(n, GetParam());
    std::vector<KeyedRow> expected = rows;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const KeyedRow& a, const KeyedRow& b) { return a.key() < b.key(); });
    for (const unsigned threads : {1U, 2U, 8U})
      for (const std::uint64_t differing : {GetParam(), ~std::uint64_t{0}})
        EXPECT_TRUE(same_rows(sorted_on(threads, differing, rows), expected)) << n;
  }
}

// All bits, none, one, few distinct keys, one digit, digits apart, the highest bit.
INSTANTIATE_TEST_SUITE_P(Masks, RadixSort,
                         ::testing::Values(~std::uint64_t{0}, 0, 1, 7, 0x3FF800, 0xF0000000000000F0,
                                           std::uint64_t{1} << 63));

}  // namespace
}  // namespace pcl_attention::test
