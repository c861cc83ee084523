// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "pcl_attention/error.h"
#include "pcl_attention/ranking.h"
#include "support/clouds.h"

namespace pcl_attention::test {
namespace {

const float nan = std::numeric_limits<float>::quiet_NaN();

// The bytes of the points in rank order.
std::vector<float> in_rank_order(const FloatCloud& cloud) {
  std::vector<float> values;
  for (const std::uint32_t point : ranked_points(cloud.view()))
    values.insert(values.end(), cloud.row(point), cloud.row(point) + cloud.names.size());
  return values;
}

TEST(RankedPoints, IsTheCanonicalOrderOfThePositions) {
  const FloatCloud cloud = random_cloud(500, 1);
  OrderInput input;
  input.num_rows = 500;
  input.positions = cloud.values.data();
  EXPECT_EQ(ranked_points(cloud.view()), canonical_order(input, Curve::morton).row_of_rank);
}

TEST(RankedPoints, PointsAtOnePlaceAreToldApartByEveryField) {
  FloatCloud cloud = random_cloud(400, 2, {"x", "y", "z", "intensity", "ring"});
  for (std::size_t i = 0; i < 400; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) cloud.row(i)[axis] = i % 3 == 0 ? 0.5F : -0.0F;
  cloud.row(7)[3] = cloud.row(8)[3] = nan;  // not looked at
  const std::vector<float> expected = in_rank_order(cloud);
  for (std::uint32_t seed = 1; seed < 5; ++seed) {
    const std::vector<float> shuffled = in_rank_order(permuted(cloud, random_permutation(400, seed)));
    ASSERT_EQ(shuffled.size(), expected.size());
    EXPECT_EQ(std::memcmp(shuffled.data(), expected.data(), expected.size() * sizeof(float)), 0);
  }
}

TEST(RankedPoints, PointsWithoutAPlaceHaveNoRank) {
  FloatCloud cloud = random_cloud(30, 3);
  cloud.row(4)[2] = nan;
  cloud.row(9)[0] = std::numeric_limits<float>::infinity();
  for (std::size_t axis = 0; axis < 3; ++axis) cloud.row(11)[axis] = 0.0F;
  RankingOptions options;
  const auto count = [&](std::uint32_t point) {
    const std::vector<std::uint32_t> points = ranked_points(cloud.view(), options);
    return std::count(points.begin(), points.end(), point);
  };
  EXPECT_EQ(ranked_points(cloud.view()).size(), 28U);
  EXPECT_EQ(count(4) + count(9), 0);
  EXPECT_EQ(count(11), 1);
  options.zero_is_invalid = true;
  EXPECT_EQ(count(11), 0);
}

TEST(RankedPoints, NoneKeepsTheSequence) {
  RankingOptions options;
  options.curve = Curve::none;
  FloatCloud cloud = random_cloud(3, 3);
  cloud.row(1)[1] = nan;
  EXPECT_EQ(ranked_points(cloud.view(), options), (std::vector<std::uint32_t>{0, 2}));
}

TEST(RankedPoints, ThreadsNamesAndEmptyClouds) {
  const FloatCloud cloud = random_cloud(5000, 4, {"east", "north", "up"});
  RankingOptions options;
  EXPECT_THROW(ranked_points(cloud.view(), options), CloudError);
  options.field_names = {{"x", "east"}, {"y", "north"}, {"z", "up"}};
  options.num_threads = 1;
  const std::vector<std::uint32_t> one = ranked_points(cloud.view(), options);
  EXPECT_EQ(std::set<std::uint32_t>(one.begin(), one.end()).size(), 5000U);
  options.num_threads = 4;
  EXPECT_EQ(ranked_points(cloud.view(), options), one);
  EXPECT_TRUE(ranked_points(random_cloud(0, 1).view()).empty());
}

}  // namespace
}  // namespace pcl_attention::test
