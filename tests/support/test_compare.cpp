// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/compare.h"

namespace pcl_attention::test {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Compare, NanNeverPasses) {
  const std::vector<double> good{1.0, 2.0}, bad{1.0, nan};
  EXPECT_FALSE(relative_l2(bad, good) < 1e300);
  EXPECT_FALSE(relative_l2(good, bad) < 1e300);
  EXPECT_FALSE(relative_l2(bad, bad) < 1e300);
}

TEST(Compare, SizesAndZerosCount) {
  const std::vector<double> two{1.0, 2.0}, one{1.0}, zero{0.0, 0.0};
  EXPECT_FALSE(relative_l2(one, two) < 1e300);
  EXPECT_FALSE(relative_l2(two, zero) < 1e300);
  EXPECT_EQ(relative_l2(zero, zero), 0.0);
  EXPECT_DOUBLE_EQ(relative_l2(std::vector<double>{1.0, 4.0}, two), 2.0 / std::sqrt(5.0));
}

TEST(Compare, BitsTellZerosApart) {
  EXPECT_FALSE(same_bits(std::vector<double>{0.0}, std::vector<double>{-0.0}));
  EXPECT_TRUE(same_bits(std::vector<double>{nan}, std::vector<double>{nan}));
}

}  // namespace
}  // namespace pcl_attention::test
