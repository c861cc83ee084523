// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "exec/parallel.h"
#include "support/compare.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

TEST(Threads, AsManyTakePartAsAskedFor) {
  const AllowThreads allow(8);
  for (const unsigned threads : {1U, 2U, 8U}) EXPECT_EQ(count_threads_that_take_part(threads), threads);
}

std::string tree_of(std::size_t begin, std::size_t count) {
  const auto leaf = [](std::size_t i) { return std::to_string(i); };
  const auto merge = [](std::string& left, const std::string& right) {
    left = "(" + left + " " + right + ")";
  };
  return with_threads(8, [&] { return tree_reduce(begin, count, leaf, merge); });
}

TEST(TreeReduceOnThreads, PartsAreSubtrees) {
  const AllowThreads allow(8);
  EXPECT_EQ(tree_of(0, 11), "((((0 1) (2 3)) ((4 5) (6 7))) ((8 9) 10))");
  EXPECT_EQ(tree_of(4, 3), "((4 5) 6)");
  EXPECT_EQ("(" + tree_of(0, 8) + " " + tree_of(8, 5) + ")", tree_of(0, 13));
}

TEST(TreeReduceOnThreads, SameBitsForAnyNumberOfThreads) {
  const AllowThreads allow(8);
  ASSERT_EQ(count_threads_that_take_part(8), 8U);
  std::mt19937 generator(3);
  std::vector<float> numbers(100003);
  for (float& number : numbers) number = static_cast<float>(generator()) * 1e-3F;

  const auto sum = [&](unsigned threads) {
    const auto leaf = [&](std::size_t i) { return numbers[i]; };
    const auto merge = [](float& left, float right) { left += right; };
    return with_threads(threads, [&] { return tree_reduce(0, numbers.size(), leaf, merge); });
  };
  const std::vector<float> one{sum(1)};
  for (const unsigned threads : {2U, 8U, 8U, 0U}) EXPECT_TRUE(same_bits({sum(threads)}, one)) << threads;
  // The sequential sum has other bits, so the comparison above can fail.
  EXPECT_FALSE(same_bits({std::accumulate(numbers.begin(), numbers.end(), 0.0F)}, one));
}

}  // namespace
}  // namespace pcl_attention::test
