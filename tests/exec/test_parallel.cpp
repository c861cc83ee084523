// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

std::vector<std::pair<std::size_t, std::size_t>> ranges_of(std::size_t n, std::size_t block,
                                                           unsigned num_threads) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges((n + block - 1) / block);
  with_threads(num_threads, [&] {
    for_each_block(n, block, [&](std::size_t begin, std::size_t end) {
      ranges[begin / block] = {begin, end};
    });
    return 0;
  });
  return ranges;
}

TEST(ForEachBlock, RangesTileTheRows) {
  for (const std::size_t n : {0, 1, 63, 64, 65, 1000}) {
    const auto ranges = ranges_of(n, 64, 4);
    std::size_t expected = 0;
    for (const auto& [begin, end] : ranges) {
      EXPECT_EQ(begin, expected);
      EXPECT_EQ(end, std::min(n, begin + 64));
      expected = end;
    }
    EXPECT_EQ(expected, n);
  }
}

TEST(ForEachBlock, CallsEachRangeOnce) {
  std::vector<std::atomic<int>> calls(777);
  with_threads(0, [&] {
    for_each_block(calls.size(), 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++calls[i];
    });
    return 0;
  });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(ForEachBlock, PassesExceptionsOn) {
  const auto run = [] {
    return with_threads(2, [] {
      for_each_block(100, 1, [](std::size_t begin, std::size_t) {
        if (begin == 50) throw std::runtime_error("block 50");
      });
      return 0;
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
}

/// The tree as text: "(0 1)" merges leaf 0 and leaf 1.
std::string tree(std::size_t count, unsigned num_threads) {
  return with_threads(num_threads, [&] {
    return tree_reduce(
        0, count, [](std::size_t i) { return std::to_string(i); },
        [](std::string& left, const std::string& right) { left = "(" + left + " " + right + ")"; });
  });
}

TEST(TreeReduce, SplitsAtTheLargestPowerOfTwo) {
  EXPECT_EQ(tree(1, 1), "0");
  EXPECT_EQ(tree(2, 1), "(0 1)");
  EXPECT_EQ(tree(3, 1), "((0 1) 2)");
  EXPECT_EQ(tree(4, 1), "((0 1) (2 3))");
  EXPECT_EQ(tree(6, 1), "(((0 1) (2 3)) (4 5))");
}

TEST(TreeReduce, TreeDoesNotDependOnThreads) {
  for (const std::size_t count : {1, 2, 5, 64, 101}) EXPECT_EQ(tree(count, 1), tree(count, 7));
}

TEST(TreeReduce, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  const auto sum = [](unsigned num_threads) {
    return with_threads(num_threads, [] {
      return tree_reduce(
          0, 1000, [](std::size_t i) { return std::sin(static_cast<double>(i)); },
          [](double& left, double right) { left += right; });
    });
  };
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(5));
}

}  // namespace
}  // namespace pcl_attention
