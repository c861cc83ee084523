// SPDX-License-Identifier: BSD-3-Clause
#include "indoor_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace pcl_attention::command {
namespace {

IndoorScene scene_of(std::uint64_t seed, std::size_t points, bool organised) {
  SceneOptions options;
  options.seed = seed;
  options.num_points = points;
  options.organised = organised;
  return make_indoor_scene(options);
}

// FNV-1a over all bytes.
std::uint64_t hash_of(const IndoorScene& scene) {
  std::uint64_t hash = 14695981039346656037U;
  for (const ScenePoint& point : scene.points) {
    unsigned char bytes[sizeof(ScenePoint)];
    std::memcpy(bytes, &point, sizeof(point));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211U;
  }
  return hash;
}

TEST(IndoorScene, DustLeavesTheOtherReturnsAsTheyAre) {
  SceneOptions options;
  const IndoorScene clear = make_indoor_scene(options);
  options.stray = 0.1;
  const IndoorScene dusty = make_indoor_scene(options);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < clear.points.size(); ++i) {
    const bool same = std::memcmp(&clear.points[i], &dusty.points[i], sizeof(ScenePoint)) == 0;
    moved += same ? 0 : 1;
    if (!same) {
      EXPECT_TRUE(std::isfinite(clear.points[i].x) && std::isfinite(dusty.points[i].x));
    }
  }
  EXPECT_EQ(moved, dusty.num_stray);
  EXPECT_EQ(clear.num_stray, 0U);
  EXPECT_NEAR(static_cast<double>(moved), 600.0, 100.0);
}

TEST(IndoorScene, SizesAreThoseAskedFor) {
  for (const std::size_t n : {0U, 1U, 2U, 7U, 6000U, 6001U}) {
    EXPECT_EQ(scene_of(1, n, false).points.size(), n);
    const IndoorScene organised = scene_of(1, n, true);
    EXPECT_EQ(organised.points.size(), organised.width * organised.height);
    EXPECT_GE(organised.points.size(), n);
    EXPECT_LE(organised.points.size(), n + organised.height);
  }
}

TEST(IndoorScene, LiesInTheRoomWithSomeReturnsMissing) {
  const IndoorScene scene = scene_of(3, 6000, false);
  std::size_t missing = 0;
  for (const ScenePoint& p : scene.points) {
    if (std::isnan(p.x)) {
      EXPECT_TRUE(std::isnan(p.y) && std::isnan(p.z));
      ++missing;
      continue;
    }
    const bool inside = p.x > -0.3F && p.x < 6.3F && p.y > -0.3F && p.y < 5.3F && p.z > -0.3F && p.z < 3.1F;
    EXPECT_TRUE(inside) << p.x << ' ' << p.y << ' ' << p.z;
  }
  EXPECT_GT(missing, 60U);
  EXPECT_LT(missing, 1200U);
}

TEST(IndoorScene, SeedDecidesEverything) {
  EXPECT_EQ(hash_of(scene_of(5, 3000, false)), hash_of(scene_of(5, 3000, false)));
  EXPECT_NE(hash_of(scene_of(5, 3000, false)), hash_of(scene_of(6, 3000, false)));
}

TEST(IndoorScene, SameBytesOnEveryPlatform) {
  EXPECT_EQ(hash_of(scene_of(0, 6000, false)), 9010821546402372528U);
  EXPECT_EQ(hash_of(scene_of(12345, 1000, true)), 14573890665630026255U);
}

}  // namespace
}  // namespace pcl_attention::command
