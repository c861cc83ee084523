// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "pcl_attention/error.h"
#include "report/change.h"
#include "report/surroundings.h"
#include "support/clouds.h"

namespace pcl_attention::test {
namespace {

Point3 xyz(const CloudView& cloud, std::size_t i) {
  return Triple(cloud, {"x", "y", "z"}, {}).read(cloud.point(i));
}

double distance(const Point3& a, const Point3& b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                   (a[2] - b[2]) * (a[2] - b[2]));
}

TEST(Change, JitterHasTheSigmaAskedFor) {
  const FloatCloud cloud = random_cloud(20001, 5);
  const ChangedCloud changed = apply_change(cloud.view(), {ChangeGroup::jitter, 0.01, 3}, {});
  double sum = 0.0;
  for (std::size_t i = 0; i < cloud.size(); ++i)
    sum += std::pow(distance(xyz(changed.view(), i), xyz(cloud.view(), i)), 2);
  EXPECT_NEAR(std::sqrt(sum / (3.0 * 20001.0)), 0.01, 2e-4);
}

TEST(Change, JitterFollowsItsSeedAndLeavesOtherFieldsAndNoReturnsAlone) {
  FloatCloud cloud = random_cloud(10, 5, {"intensity", "x", "y", "z"});
  for (const std::size_t c : {1U, 2U, 3U}) cloud.row(4)[c] = 0.0F;
  const MovingPoints moving{{}, true};
  const ChangedCloud a = apply_change(cloud.view(), {ChangeGroup::jitter, 0.1, 3}, moving);
  const ChangedCloud b = apply_change(cloud.view(), {ChangeGroup::jitter, 0.1, 3}, moving);
  const ChangedCloud c = apply_change(cloud.view(), {ChangeGroup::jitter, 0.1, 4}, moving);
  EXPECT_EQ(xyz(a.view(), 7), xyz(b.view(), 7));
  EXPECT_NE(xyz(a.view(), 7), xyz(c.view(), 7));
  EXPECT_EQ(xyz(a.view(), 4), (Point3{0, 0, 0}));
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(std::memcmp(a.view().point(i), cloud.row(i), sizeof(float)), 0);
}

TEST(Change, RigidMotionsKeepDistances) {
  const FloatCloud cloud = random_cloud(50, 5);
  for (const Change& change :
       {Change{ChangeGroup::translation, 3.0, 1}, Change{ChangeGroup::rotation, 40.0, 1},
        Change{ChangeGroup::reflection, 2.0, 1}}) {
    const ChangedCloud changed = apply_change(cloud.view(), change, {});
    EXPECT_NE(xyz(changed.view(), 0), xyz(cloud.view(), 0)) << to_string(change);
    for (std::size_t i = 1; i < 50; ++i)
      EXPECT_NEAR(distance(xyz(changed.view(), 0), xyz(changed.view(), i)),
                  distance(xyz(cloud.view(), 0), xyz(cloud.view(), i)), 1e-6)
          << to_string(change);
  }
  const ChangedCloud moved = apply_change(cloud.view(), {ChangeGroup::translation, 3.0, 1}, {});
  EXPECT_NEAR(distance(xyz(moved.view(), 9), xyz(cloud.view(), 9)), 3.0, 1e-6);
}

TEST(Change, NormalsTurnWithThePoints) {
  FloatCloud cloud = random_cloud(5, 5, {"x", "y", "z", "normal_x", "normal_y", "normal_z"});
  const ChangedCloud mirrored = apply_change(cloud.view(), {ChangeGroup::reflection, 0.0, 1}, {});
  float normal[3];
  std::memcpy(normal, mirrored.view().point(2) + 3 * sizeof(float), sizeof normal);
  EXPECT_EQ(normal[0], -cloud.row(2)[3]);
  EXPECT_EQ(normal[1], cloud.row(2)[4]);
}

TEST(Change, SubsetsAndDuplicatesNameTheirPoints) {
  const FloatCloud cloud = random_cloud(101, 5);
  const ChangedCloud half = apply_change(cloud.view(), {ChangeGroup::subset, 0.5, 1}, {});
  ASSERT_EQ(half.source().size(), 51U);
  EXPECT_TRUE(std::is_sorted(half.source().begin(), half.source().end()));
  const ChangedCloud twice = apply_change(cloud.view(), {ChangeGroup::duplicates, 1.0, 1}, {});
  ASSERT_EQ(twice.source().size(), 202U);
  for (std::size_t i = 0; i < 202; ++i) EXPECT_EQ(xyz(twice.view(), i), xyz(cloud.view(), i % 101));
}

TEST(Change, CoordinatesOfEitherByteOrderAndDouble) {
  double numbers[3] = {1.0, 2.0, 4.0};
  CloudView view;
  auto* const bytes = reinterpret_cast<std::byte*>(numbers);
  for (std::size_t i = 0; i < 3; ++i) std::reverse(bytes + 8 * i, bytes + 8 * i + 8);
  view.data = bytes;
  view.size = view.point_step = sizeof numbers;
  view.width = 1;
  view.big_endian = true;
  view.fields = {
      {"x", FieldType::float64, 0, 1}, {"y", FieldType::float64, 8, 1}, {"z", FieldType::float64, 16, 1}};
  EXPECT_EQ(xyz(view, 0), (Point3{1, 2, 4}));
  const ChangedCloud moved = apply_change(view, {ChangeGroup::translation, 2.0, 1}, {});
  EXPECT_NEAR(distance(xyz(moved.view(), 0), xyz(view, 0)), 2.0, 1e-12);
}

TEST(Change, InvalidPointsStayInvalid) {
  FloatCloud cloud = random_cloud(9, 5);
  cloud.row(3)[1] = std::numeric_limits<float>::quiet_NaN();
  for (const ChangeGroup group : {ChangeGroup::jitter, ChangeGroup::rotation, ChangeGroup::translation}) {
    const ChangedCloud changed = apply_change(cloud.view(), {group, 1.0, 1}, {});
    EXPECT_FALSE(is_finite(xyz(changed.view(), 3)));
    EXPECT_TRUE(is_finite(xyz(changed.view(), 4)));
  }
}

TEST(Change, WrongSizesAndFieldsAreRefused) {
  const FloatCloud cloud = random_cloud(9, 5);
  for (const Change& change : {Change{ChangeGroup::jitter, -1.0, 1}, Change{ChangeGroup::subset, 0.0, 1},
                               Change{ChangeGroup::subset, 1.5, 1}, Change{ChangeGroup::reflection, 3.0, 1},
                               Change{ChangeGroup::duplicates, 2.0, 1},
                               Change{ChangeGroup::rotation, std::numeric_limits<double>::infinity(), 1}})
    EXPECT_THROW(apply_change(cloud.view(), change, {}), std::invalid_argument) << to_string(change.group);
  CloudView integers = cloud.view();
  integers.fields[1].type = FieldType::int32;
  EXPECT_THROW(apply_change(integers, {ChangeGroup::jitter, 1.0, 1}, {}), CloudError);
  EXPECT_THROW(apply_change(random_cloud(9, 5, {"x", "y"}).view(), {ChangeGroup::jitter, 1.0, 1}, {}),
               CloudError);
}

TEST(Surroundings, SpacingOfAGridWithDuplicates) {
  FloatCloud cloud{{"x", "y", "z"}, {}};
  for (int i = 0; i < 20; ++i)
    for (int twice = 0; twice < 2; ++twice)
      cloud.values.insert(cloud.values.end(), {0.25F * static_cast<float>(i), 1.0F, 2.0F});
  const Spacing spacing = median_spacing(positions_of(cloud.view(), {}), 1);
  EXPECT_FLOAT_EQ(static_cast<float>(spacing.median), 0.25F);
  EXPECT_EQ(spacing.sample, 40U);
  EXPECT_EQ(median_spacing(positions_of(random_cloud(1, 5).view(), {}), 1).median, 0.0);
  EXPECT_EQ(median_spacing(positions_of(random_cloud(0, 5).view(), {}), 1).sample, 0U);
}

TEST(Surroundings, HashDependsOnEveryByteAndTheSequence) {
  FloatCloud cloud = random_cloud(9, 5);
  const std::string hash = hash_of(cloud.view());
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_NE(hash_of(permuted(cloud, {1, 0, 2, 3, 4, 5, 6, 7, 8}).view()), hash);
  cloud.row(8)[2] += 1.0F;
  EXPECT_NE(hash_of(cloud.view()), hash);
  EXPECT_EQ(hash_of(random_cloud(0, 5).view()), "cbf29ce484222325");
}

}  // namespace
}  // namespace pcl_attention::test
