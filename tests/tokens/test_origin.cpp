// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "pcl_attention/tokens.h"
#include "support/compare.h"
#include "tokens/raw_cloud.h"

namespace pcl_attention::test {
namespace {

using Points = std::vector<std::uint32_t>;
using Floats = std::vector<float>;
using Point = std::array<double, 3>;

const std::vector<Normalization> normalizations = {Normalization::none, Normalization::centred,
                                                   Normalization::unit_sphere, Normalization::metric};

InputSpec xyz(Normalization normalization) { return {{{"x"}, {"y"}, {"z"}}, normalization, 2.0}; }

/// A cloud of three fields of one type.
template <class Number>
struct XyzCloud : RawCloud {
  XyzCloud(FieldType type, const std::vector<std::array<Number, 3>>& points)
      : RawCloud(points.size(), 3 * sizeof(Number),
                 {{"x", type, 0, 1}, {"y", type, sizeof(Number), 1}, {"z", type, 2 * sizeof(Number), 1}}) {
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) write(i, axis * sizeof(Number), points[i][axis]);
  }
};

const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Origin, DefaultIsTheMinimumOfValidPointsOrZero) {
  const std::vector<Point> points{{3, -1, 7}, {2, 5, 9}, {-100, nan, -100}};
  const XyzCloud<double> cloud(FieldType::float64, points);
  for (const Normalization normalization : normalizations) {
    const Tokens tokens = gather(cloud.view, xyz(normalization));
    const bool relative =
        normalization == Normalization::centred || normalization == Normalization::unit_sphere;
    EXPECT_EQ(tokens.origin, (relative ? Point{2, -1, 7} : Point{0, 0, 0}));
    ASSERT_EQ(tokens.point, (Points{0, 1}));
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(tokens.values[i], static_cast<float>(points[i / 3][i % 3] - tokens.origin[i % 3]));
  }
}

TEST(Origin, IsRemovedInDouble) {
  const double east = 500000.0625, north = 5400000.03125;
  const XyzCloud<double> cloud(FieldType::float64, {{east, north, 1.5}, {east + 0.001, north + 0.002, 1.75}});
  const Tokens tokens = gather(cloud.view, xyz(Normalization::centred));
  EXPECT_EQ(tokens.values[3], static_cast<float>((east + 0.001) - east));
  EXPECT_EQ(tokens.values[4], static_cast<float>((north + 0.002) - north));
}

TEST(Origin, OptionBeatsDefault) {
  const XyzCloud<float> cloud(FieldType::float32, {{1.5F, 2, 3}, {4, 5, 6}});
  GatherOptions options;
  options.origin = Point{0.5, 2.0, -1.0};
  for (const Normalization normalization : normalizations) {
    const Tokens tokens = gather(cloud.view, xyz(normalization), options);
    EXPECT_EQ(tokens.origin, *options.origin);
    EXPECT_EQ(tokens.values, (Floats{1.0F, 0.0F, 4.0F, 3.5F, 3.0F, 7.0F}));
  }
}

TEST(Origin, MustBeFinite) {
  const XyzCloud<float> cloud(FieldType::float32, {{1, 2, 3}});
  for (const double bad : {nan, std::numeric_limits<double>::infinity(), 1e39}) {
    GatherOptions options;
    options.origin = Point{0.0, bad, 0.0};
    EXPECT_THROW(gather(cloud.view, xyz(Normalization::none), options), std::invalid_argument);
  }
}

TEST(Origin, NegativeZeroLeavesNoTrace) {
  for (const auto& [first, second] :
       {std::pair{0.0F, -0.0F}, std::pair{-0.0F, 0.0F}, std::pair{-0.0F, -0.0F}}) {
    const XyzCloud<float> cloud(FieldType::float32, {{first, first, first}, {second, second, second}});
    for (const Normalization normalization : normalizations) {
      const Tokens tokens = gather(cloud.view, xyz(normalization));
      EXPECT_TRUE(same_bits(tokens.values, std::vector<float>(6, 0.0F)));
      for (const double origin : tokens.origin) EXPECT_FALSE(std::signbit(origin));
    }
  }
}

TEST(Origin, ZeroWithoutValidPoints) {
  const XyzCloud<float> cloud(FieldType::float32, {});
  const Tokens tokens = gather(cloud.view, xyz(Normalization::centred));
  EXPECT_EQ(tokens.origin, (Point{0, 0, 0}));
  EXPECT_EQ(tokens.coordinate_step, 0.0);
}

TEST(Origin, FarCoordinatesAreInvalidNotInfinite) {
  const double edge = static_cast<double>(std::numeric_limits<float>::max()) / 2;
  const XyzCloud<double> cloud(FieldType::float64,
                               {{-edge, 0, 0}, {edge, 0, 0}, {1e39, 0, 0}, {0, -1e300, 0}, {0, 0, 2e38}});
  for (const Normalization normalization : normalizations) {
    const Tokens tokens = gather(cloud.view, xyz(normalization));
    EXPECT_EQ(tokens.point, (Points{0, 1}));
    for (const float value : tokens.values) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(CoordinateStep, Float32IsTheUlpOfTheLargest) {
  const XyzCloud<float> cloud(FieldType::float32, {{500000.0F, 1, 2}, {500001.0F, -3, 4}});
  EXPECT_EQ(gather(cloud.view, xyz(Normalization::none)).coordinate_step, std::ldexp(1.0, -5));
  EXPECT_EQ(gather(cloud.view, xyz(Normalization::centred)).coordinate_step, std::ldexp(1.0, -5));
}

TEST(CoordinateStep, Float64IsTheCoarserOfStoredAndKept) {
  const XyzCloud<double> wide(FieldType::float64, {{500000.0, 1, 2}, {500001.5, -3, 4}});
  EXPECT_EQ(gather(wide.view, xyz(Normalization::none)).coordinate_step, std::ldexp(1.0, -5));
  // Relative to the minimum: y − origin = 4, float32 around 4 has steps of 2^-21.
  EXPECT_EQ(gather(wide.view, xyz(Normalization::centred)).coordinate_step, std::ldexp(1.0, -21));
  // Far away and small: the double itself is the coarser.
  const XyzCloud<double> far(FieldType::float64, {{1e12, 0, 0}, {1e12 + 0.001, 0, 0}});
  EXPECT_EQ(gather(far.view, xyz(Normalization::centred)).coordinate_step, std::ldexp(1.0, -13));
}

TEST(CoordinateStep, IntegersAreOneApart) {
  const XyzCloud<std::int32_t> near(FieldType::int32, {{5, 6, 7}, {100, 6, 7}});
  EXPECT_EQ(gather(near.view, xyz(Normalization::none)).coordinate_step, 1.0);
  const XyzCloud<std::int32_t> wide(FieldType::int32, {{0, 0, 0}, {1 << 30, 0, 0}});
  EXPECT_EQ(gather(wide.view, xyz(Normalization::none)).coordinate_step, 128.0);
}

TEST(CoordinateStep, ZeroWithoutPositions) {
  const XyzCloud<float> cloud(FieldType::float32, {{1, 2, 3}});
  GatherOptions options;
  options.field_names["intensity"] = "x";
  EXPECT_EQ(gather(cloud.view, {{{"intensity"}}, Normalization::none, 1.0}, options).coordinate_step, 0.0);
}

}  // namespace
}  // namespace pcl_attention::test
