// SPDX-License-Identifier: BSD-3-Clause
// What the fields must not depend on.
#include <gtest/gtest.h>

#include "neighbourhood/described.h"
#include "support/compare.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

/// A cloud with copies, points at equal distances and invalid points.
FloatCloud mixed_cloud(std::size_t n) {
  FloatCloud cloud = random_cloud(n, 21);
  for (std::size_t i = 0; i < n; ++i) {
    float* point = cloud.row(i);
    if (i % 5 == 0)
      for (int axis = 0; axis < 3; ++axis) point[axis] = std::round(4.0F * point[axis]) / 4.0F;
    if (i % 17 == 0) point[2] = std::numeric_limits<float>::infinity();
    if (i % 7 == 1) std::copy_n(cloud.row(i - 1), 3, point);
  }
  return cloud;
}

TEST(NeighbourhoodOrder, ShufflesMoveTheRowsAndNoBit) {
  for (std::size_t n : {2U, 33U, 3001U}) {
    const FloatCloud cloud = mixed_cloud(n);
    const Described before = describe(cloud);
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
      const std::vector<std::uint32_t> source = random_permutation(n, seed);
      const Described after = describe(permuted(cloud, source));
      std::vector<float> moved;
      for (const std::uint32_t point : source)
        moved.insert(moved.end(), before.row(point), before.row(point) + kNeighbourhoodFields);
      EXPECT_TRUE(same_bits(after.rows, moved)) << n;
    }
  }
}

TEST(NeighbourhoodOrder, NumberOfThreadsChangesNoBit) {
  const AllowThreads allowed(8);
  const FloatCloud cloud = mixed_cloud(3001);
  const Described one = describe(cloud, {}, 1);
  for (unsigned threads : {2U, 8U}) EXPECT_TRUE(same_bits(describe(cloud, {}, threads).rows, one.rows));
}

TEST(NeighbourhoodOrder, OnlyViewAndRangeKnowTheSensor) {
  const FloatCloud cloud = random_cloud(300, 22);
  const Described here = describe(cloud);
  const Described there = describe(cloud, [](EncodeInput& input) {
    input.sensor_origin = std::array<double, 3>{9.0, 8.0, 7.0};
  });
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    EXPECT_TRUE(std::equal(here.row(i), here.row(i) + 12, there.row(i)));
    EXPECT_NE(here.row(i)[12], there.row(i)[12]);
    EXPECT_NE(here.row(i)[13], there.row(i)[13]);
  }
}

TEST(NeighbourhoodOrder, SensorOriginMovesWithTheCloud) {
  FloatCloud cloud = random_cloud(300, 23), moved = cloud;
  for (float& value : cloud.values) value = std::round(value * 1024.0F) / 1024.0F;
  for (std::size_t i = 0; i < moved.values.size(); ++i) moved.values[i] = cloud.values[i] + 16.0F;
  ModelConfig centred = neighbourhood_config();
  centred.input.normalization = Normalization::centred;
  const Described here = describe(cloud, {}, 0, centred);
  const Described there = describe(
      moved,
      [](EncodeInput& input) {
        input.sensor_origin = std::array<double, 3>{16.0, 16.0, 16.0};
      },
      0, centred);
  EXPECT_TRUE(same_bits(here.rows, there.rows));
}

}  // namespace
}  // namespace pcl_attention::test
