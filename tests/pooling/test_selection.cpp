// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace pcl_attention::test {
namespace {

using Keep = std::vector<std::uint8_t>;

const std::vector<double> values{0.1, 0.4, std::nan(""), 0.1, 0.4, 0.0};
const std::vector<std::uint32_t> ranked{4, 3, 1, 2, 0};  // 5 has no rank

Keep select(const Selection& selection) { return select_points(values, ranked, selection); }

TEST(Selection, CountTakesTheLargestAndTiesByRank) {
  EXPECT_EQ(select({SelectionKind::count, 0}), (Keep{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(select({SelectionKind::count, 1}), (Keep{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(select({SelectionKind::count, 3}), (Keep{0, 1, 0, 1, 1, 0}));
  EXPECT_EQ(select({SelectionKind::count, 99}), (Keep{1, 1, 0, 1, 1, 0}));
}

TEST(Selection, FractionOfTheValidPointsIsRoundedUp) {
  EXPECT_EQ(select({SelectionKind::fraction, 0, 0.0}), (Keep{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(select({SelectionKind::fraction, 0, 0.01}), (Keep{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(select({SelectionKind::fraction, 0, 0.5}), (Keep{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(select({SelectionKind::fraction, 0, 1.0}), (Keep{1, 1, 0, 1, 1, 0}));
}

TEST(Selection, ThresholdIsInEvenShares) {
  EXPECT_EQ(select({SelectionKind::threshold, 0, 0.0, 1.6}), (Keep{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(select({SelectionKind::threshold, 0, 0.0, 0.4}), (Keep{1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(select({SelectionKind::threshold, 0, 0.0, 1.7}), (Keep{0, 0, 0, 0, 0, 0}));
}

TEST(Selection, NumbersOutOfRangeAreRefused) {
  EXPECT_THROW(select({SelectionKind::fraction, 0, 1.5}), std::invalid_argument);
  EXPECT_THROW(select({SelectionKind::fraction, 0, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(select({SelectionKind::threshold, 0, 0.0, -1.0}), std::invalid_argument);
  EXPECT_THROW(select({SelectionKind::threshold, 0, 0.0, INFINITY}), std::invalid_argument);
}

TEST(Selection, NoPoints) { EXPECT_TRUE(select_points({}, {}, {}).empty()); }

}  // namespace
}  // namespace pcl_attention::test
