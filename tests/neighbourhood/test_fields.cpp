// SPDX-License-Identifier: BSD-3-Clause
// The numbers against all pairs in double.
#include <gtest/gtest.h>

#include "neighbourhood/brute_force.h"
#include "neighbourhood/described.h"

namespace pcl_attention::test {
namespace {

constexpr double kTolerance = 1e-5;
constexpr std::array<double, 3> kSensor{0.25, -3.0, 1.5};

Eigen::Vector3d position(const FloatCloud& cloud, std::size_t i) {
  const float* p = cloud.row(i);
  return Eigen::Vector3f(p[0], p[1], p[2]).cast<double>();
}

bool is_valid(const FloatCloud& cloud, std::size_t i) {
  return std::all_of(cloud.row(i), cloud.row(i) + 3, [](float x) { return std::isfinite(x); });
}

void expect_row(const float* row, const BruteForce::Row& expected, std::size_t point) {
  for (std::size_t field = 0; field < kNeighbourhoodFields; ++field) {
    const bool of_normal = field == 11 || field == 12;
    if (of_normal && !expected.has_normal) {
      EXPECT_TRUE(row[field] >= 0.0F && row[field] <= 1.0F) << point;
    } else {
      EXPECT_NEAR(static_cast<double>(row[field]), expected.numbers[field], kTolerance)
          << neighbourhood_fields()[field] << " of point " << point;
    }
  }
}

/// Holds the fields of a cloud against the definitions; with a mask, neighbours are the kept points.
void expect_definitions(const FloatCloud& cloud, const std::vector<std::uint8_t>& mask = {}) {
  const Described described = describe(cloud, [&](EncodeInput& input) {
    input.sensor_origin = kSensor;
    input.key_mask = mask.empty() ? nullptr : mask.data();
  });
  std::vector<Eigen::Vector3d> ranked;
  for (const std::uint32_t point : described.ranked_point) ranked.push_back(position(cloud, point));
  const BruteForce expected(ranked, {kSensor[0], kSensor[1], kSensor[2]});
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (is_valid(cloud, i))
      expect_row(described.row(i), expected.row(position(cloud, i)), i);
    else
      EXPECT_TRUE(std::isnan(described.row(i)[0])) << i;
  }
}

TEST(NeighbourhoodFields, FollowTheirDefinitions) {
  for (std::size_t n : {0U, 1U, 2U, 5U, 33U, 34U, 2000U}) {
    SCOPED_TRACE(n);
    expect_definitions(random_cloud(n, 11));
  }
}

TEST(NeighbourhoodFields, OfPointsOnALine) {
  FloatCloud cloud = random_cloud(200, 3);
  for (std::size_t i = 0; i < cloud.size(); ++i) cloud.row(i)[1] = cloud.row(i)[2] = 0.5F;
  expect_definitions(cloud);
}

TEST(NeighbourhoodFields, OfPointsOnAPlane) {
  FloatCloud cloud = random_cloud(300, 4);
  for (std::size_t i = 0; i < cloud.size(); ++i) cloud.row(i)[2] = 0.5F * cloud.row(i)[0];
  expect_definitions(cloud);
}

TEST(NeighbourhoodFields, EqualDistancesGoByRank) {
  FloatCloud cloud{{"x", "y", "z"}, {}};
  for (int i = 0; i < 7 * 7 * 7; ++i)
    for (const int index : {i % 7, i / 7 % 7, i / 49}) cloud.values.push_back(static_cast<float>(index));
  expect_definitions(cloud);
}

TEST(NeighbourhoodFields, FirstRanksAreTakenOfManyAtOneDistance) {
  FloatCloud cloud{{"x", "y", "z"}, {0.0F, 0.0F, 0.0F}};
  std::array<int, 3> offset{1, 2, 3};
  do {
    for (int signs = 0; signs < 8; ++signs)
      for (int axis = 0; axis < 3; ++axis)
        cloud.values.push_back(static_cast<float>((signs >> axis & 1) != 0
                                                      ? -offset[static_cast<std::size_t>(axis)]
                                                      : offset[static_cast<std::size_t>(axis)]));
  } while (std::next_permutation(offset.begin(), offset.end()));
  ASSERT_EQ(cloud.size(), 49U);
  expect_definitions(cloud);
}

TEST(NeighbourhoodFields, CopiesAreNeighboursAtNoDistance) {
  FloatCloud cloud = random_cloud(400, 5);
  for (std::size_t i = 0; i < 100; ++i) std::copy_n(cloud.row(0), 3, cloud.row(i));      // more than 32
  for (std::size_t i = 100; i < 130; ++i) std::copy_n(cloud.row(100), 3, cloud.row(i));  // fewer
  for (std::size_t i = 200; i < 400; i += 2) std::copy_n(cloud.row(i), 3, cloud.row(i + 1));
  expect_definitions(cloud);
  for (std::size_t i = 1; i < cloud.size(); ++i) std::copy_n(cloud.row(0), 3, cloud.row(i));
  expect_definitions(cloud);
}

TEST(NeighbourhoodFields, InvalidPointsAreNoNeighbours) {
  FloatCloud cloud = random_cloud(500, 6);
  for (std::size_t i = 0; i < 500; i += 3) cloud.row(i)[i % 2] = std::numeric_limits<float>::quiet_NaN();
  expect_definitions(cloud);
}

TEST(NeighbourhoodFields, MaskedPointsAreNoNeighbours) {
  FloatCloud cloud = random_cloud(500, 7);
  std::copy_n(cloud.row(1), 3, cloud.row(3));  // a kept point and a masked one in the same place
  std::vector<std::uint8_t> mask(500);
  for (std::size_t i = 0; i < 500; ++i) mask[i] = i % 3 != 0;
  expect_definitions(cloud, mask);
  expect_definitions(cloud, std::vector<std::uint8_t>(500, 0));
}

TEST(NeighbourhoodFields, AreFiniteForTheLargestCoordinates) {
  FloatCloud cloud = random_cloud(50, 8);
  for (float& value : cloud.values) value *= 1.6e38F;
  for (const float value : describe(cloud).rows) EXPECT_TRUE(std::isfinite(value));
}

TEST(NeighbourhoodFields, AreScaledAndPlacedAsNamed) {
  const FloatCloud cloud = random_cloud(60, 9, {"x", "y", "z", "intensity"});
  ModelConfig config = neighbourhood_config();
  for (InputField& field : config.input.fields) field.scale = field.name.size() > 1 ? -2.0 : 1.0;
  config.input.fields.insert(config.input.fields.begin() + 1, {"intensity"});
  const Described plain = describe(cloud), scaled = describe(cloud, {}, 0, config);
  for (std::size_t i = 0; i < plain.rows.size(); ++i) EXPECT_EQ(scaled.rows[i], -2.0F * plain.rows[i]);
}

}  // namespace
}  // namespace pcl_attention::test
