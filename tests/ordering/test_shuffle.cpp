// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "ordering/brute_force.h"
#include "support/compare.h"
#include "support/data.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

std::vector<std::uint32_t> order_of(const FloatCloud& cloud, Curve curve, unsigned threads) {
  const OrderedCloud rows(cloud);
  return canonical_order(rows.input, curve, {}, threads).row_of_rank;
}

/// Shuffled clouds give the same sequence of rows, and every cloud one permutation on 1, 2 and 8 threads.
void expect_same_sequence(const FloatCloud& cloud, Curve curve) {
  const std::vector<float> sequence = permuted(cloud, order_of(cloud, curve, 1)).values;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const FloatCloud shuffled = permuted(cloud, random_permutation(cloud.size(), seed));
    const std::vector<std::uint32_t> order = order_of(shuffled, curve, 1);
    EXPECT_TRUE(same_bits(permuted(shuffled, order).values, sequence)) << cloud.size();
    for (const unsigned threads : {2U, 8U})
      EXPECT_EQ(order_of(shuffled, curve, threads), order) << cloud.size();
  }
}

void expect_same_sequence(const FloatCloud& cloud) {
  for (const Curve curve : {Curve::morton, Curve::hilbert}) expect_same_sequence(cloud, curve);
}

class Shuffle : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(count_threads_that_take_part(8), 8U); }

  const AllowThreads allow{8};
  const std::vector<std::size_t> sizes = {0, 1, 2, 3, 1023, 1024, 1025, 70001};
};

TEST_F(Shuffle, RandomClouds) {
  for (const std::size_t n : sizes) expect_same_sequence(random_cloud(n, 21, {"x", "y", "z", "intensity"}));
}

TEST_F(Shuffle, DuplicatesWithDifferentAttributes) {
  for (const std::size_t n : sizes) {
    FloatCloud cloud = random_cloud(n, 22, {"x", "y", "z", "intensity"});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        cloud.row(i)[axis] = std::round(cloud.row(i)[axis] * 3.0F) + 10.0F;
    expect_same_sequence(cloud);
  }
}

TEST_F(Shuffle, IdenticalRows) {
  expect_same_sequence({{"x", "y", "z"}, std::vector<float>(3 * 20000, 1.0F)});
}

TEST_F(Shuffle, OneOutlierPutsAllOthersIntoOneCell) {
  FloatCloud cloud = random_cloud(50000, 23, {"x", "y", "z", "intensity"});
  cloud.row(31)[0] = 1e30F;
  expect_same_sequence(cloud);
}

TEST_F(Shuffle, CellsMuchLargerThanTheirNeighbours) {
  FloatCloud cloud = random_cloud(30000, 24);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) cloud.row(i)[axis] = std::pow(cloud.row(i)[axis], 9.0F);
  expect_same_sequence(cloud);
}

TEST_F(Shuffle, RealScan) {
  const std::string path = real_cloud("test_only/kitti_000000.bin");
  if (path.empty()) GTEST_SKIP() << "no real clouds: set PCL_ATTENTION_DATA";
  FloatCloud cloud{{"x", "y", "z", "intensity"}, std::vector<float>(124668 * 4)};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(cloud.values.data()),
            static_cast<std::streamsize>(cloud.values.size() * 4));
  ASSERT_TRUE(file.good());
  for (float& value : cloud.values) value += 0.0F;
  expect_same_sequence(cloud);
}

}  // namespace
}  // namespace pcl_attention::test
