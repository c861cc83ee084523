// SPDX-License-Identifier: BSD-3-Clause
// Points that are described but count for none: masked ones and foreign queries.
#include <gtest/gtest.h>

#include "neighbourhood/described.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

TEST(NeighbourhoodMask, KeptPointsAreAsIfTheOthersWereNotThere) {
  const FloatCloud cloud = random_cloud(600, 31);
  std::vector<std::uint8_t> mask(600);
  FloatCloud kept{cloud.names, {}};
  for (std::size_t i = 0; i < 600; ++i) {
    mask[i] = i % 4 != 1;
    if (mask[i]) kept.values.insert(kept.values.end(), cloud.row(i), cloud.row(i) + 3);
  }
  const Described masked = describe(cloud, [&](EncodeInput& input) { input.key_mask = mask.data(); });
  const Described alone = describe(kept);
  std::vector<float> rows;
  for (std::size_t i = 0; i < 600; ++i)
    if (mask[i]) rows.insert(rows.end(), masked.row(i), masked.row(i) + kNeighbourhoodFields);
  EXPECT_TRUE(same_bits(rows, alone.rows));
}

TEST(NeighbourhoodQueries, OnASurfacePointHaveItsRow) {
  FloatCloud cloud = random_cloud(500, 32);
  for (std::size_t i = 0; i < 60; ++i) std::copy_n(cloud.row(i / 40), 3, cloud.row(i));
  for (const Normalization normalization : {Normalization::none, Normalization::unit_sphere}) {
    ModelConfig config = neighbourhood_config();
    config.input.normalization = normalization;
    const CloudView queries = cloud.view();
    const Described surface = describe(cloud, {}, 0, config);
    const Described foreign = describe(
        cloud, [&](EncodeInput& input) { input.queries = &queries; }, 0, config);
    EXPECT_TRUE(same_bits(foreign.rows, surface.rows));
  }
}

TEST(NeighbourhoodQueries, AreDescribedAsMaskedPointsAre) {
  const FloatCloud surface = random_cloud(400, 33), other = random_cloud(90, 34);
  FloatCloud both = surface;
  both.values.insert(both.values.end(), other.values.begin(), other.values.end());
  std::vector<std::uint8_t> mask(both.size(), 0);
  std::fill_n(mask.begin(), surface.size(), std::uint8_t{1});
  const CloudView queries = other.view();
  const Described foreign = describe(surface, [&](EncodeInput& input) { input.queries = &queries; });
  const Described masked = describe(both, [&](EncodeInput& input) { input.key_mask = mask.data(); });
  EXPECT_TRUE(same_bits(foreign.rows, {masked.row(surface.size()), masked.row(both.size())}));
}

TEST(NeighbourhoodQueries, OfAnEmptySurfaceAreFinite) {
  const FloatCloud nothing{{"x", "y", "z"}, {}}, other = random_cloud(3, 35);
  const CloudView queries = other.view();
  const Described foreign = describe(nothing, [&](EncodeInput& input) { input.queries = &queries; });
  ASSERT_EQ(foreign.rows.size(), 3 * kNeighbourhoodFields);
  for (const float value : foreign.rows) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace pcl_attention::test
