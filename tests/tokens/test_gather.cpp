// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"
#include "support/clouds.h"
#include "support/compare.h"
#include "support/errors.h"
#include "support/threads.h"
#include "tokens/raw_cloud.h"

namespace pcl_attention::test {
namespace {

using Points = std::vector<std::uint32_t>;
using Floats = std::vector<float>;
using Channels = std::array<int, 3>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

InputSpec input_of(const std::vector<std::string>& names) {
  InputSpec input;
  for (const std::string& name : names) input.fields.push_back({name});
  return input;
}

Points all(std::size_t n) {
  Points points(n);
  for (std::size_t i = 0; i < n; ++i) points[i] = static_cast<std::uint32_t>(i);
  return points;
}

TEST(Gather, SizesOfEveryKind) {
  for (const std::size_t n : {0, 1, 2, 1023, 1024, 1025, 70001}) {
    const FloatCloud cloud = random_cloud(n, 5, {"x", "y", "z", "intensity"});
    const Tokens tokens = gather(cloud.view(), input_of({"x", "y", "z", "intensity"}));
    EXPECT_EQ(tokens.num_points, n);
    EXPECT_EQ(tokens.point, all(n));
    EXPECT_TRUE(same_bits(tokens.values, cloud.values));
    EXPECT_EQ(tokens.position_channels, (Channels{0, 1, 2}));
  }
}

TEST(Gather, ChannelsInTheModelsOrder) {
  const FloatCloud cloud{{"x", "y", "z", "i"}, {1, 2, 3, 4, 5, 6, 7, 8}};
  InputSpec input = input_of({"i", "z", "x"});
  input.fields[0].scale = 0.5;
  input.fields[1].scale = 100.0;  // not applied to coordinates
  const Tokens tokens = gather(cloud.view(), input);
  EXPECT_EQ(tokens.num_channels, 3U);
  EXPECT_EQ(tokens.values, (Floats{2, 3, 1, 4, 7, 5}));
  EXPECT_EQ(tokens.position_channels, (Channels{2, -1, 1}));
  EXPECT_TRUE(tokens.positions.empty());
}

/// Arrays of float32 as they are stored take another way than those of the other byte order.
TEST(Gather, ArraysOfFloatsAreCopiedWhole) {
  const Floats numbers{1, -0.0F, 1e-45F, 3e38F, -2, 5, nan, 6, 7, 8, 9, 10, inf, 12, 13};
  for (const bool big_endian : {false, true}) {
    RawCloud cloud(5, 15, {{"h", FieldType::float32, 1, 3}, {"i", FieldType::uint8, 14, 1}}, big_endian);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t c = 0; c < 3; ++c) cloud.write(i, 1 + 4 * c, numbers[3 * i + c]);
      cloud.write(i, 14, static_cast<std::uint8_t>(i));
    }
    const Tokens tokens = gather(cloud.view, {{{"h", 3}, {"i"}}, Normalization::none, 1.0});
    EXPECT_EQ(tokens.point, (Points{0, 1, 3}));
    EXPECT_TRUE(same_bits(tokens.values, (Floats{1, 0, 1e-45F, 0, 3e38F, -2, 5, 1, 8, 9, 10, 3})))
        << big_endian;
  }
}

TEST(Gather, ArraysTakeAChannelPerElement) {
  RawCloud cloud(2, 12, {{"h", FieldType::uint16, 2, 4}, {"x", FieldType::int8, 0, 1}});
  for (std::size_t i = 0; i < 2; ++i) {
    cloud.write(i, 0, static_cast<std::int8_t>(-1));
    for (std::size_t c = 0; c < 4; ++c) cloud.write(i, 2 + 2 * c, static_cast<std::uint16_t>(10 * i + c));
  }
  const Tokens tokens = gather(cloud.view, {{{"h", 4, 2.0}, {"x"}}, Normalization::none, 1.0});
  EXPECT_EQ(tokens.values, (Floats{0, 2, 4, 6, -1, 20, 22, 24, 26, -1}));
  EXPECT_EQ(tokens.position_channels, (Channels{4, -1, -1}));
}

TEST(Gather, NotFiniteAnywhereReadIsInvalid) {
  for (std::size_t field = 0; field < 4; ++field) {
    for (const float bad : {nan, inf, -inf}) {
      FloatCloud cloud = random_cloud(3000, 5, {"x", "y", "z", "intensity"});
      cloud.row(0)[field] = bad;
      cloud.row(1500)[field] = bad;
      cloud.row(2999)[field] = bad;
      const Tokens tokens = gather(cloud.view(), input_of({"x", "y", "z", "intensity"}));
      Points expected = all(2999);
      expected.erase(expected.begin() + 1500);
      expected.erase(expected.begin());
      EXPECT_EQ(tokens.point, expected);
      for (std::size_t t = 0; t < tokens.size(); ++t)
        EXPECT_EQ(std::memcmp(&tokens.values[t * 4], cloud.row(tokens.point[t]), 4 * sizeof(float)), 0);
    }
  }
}

TEST(Gather, WhatIsNotReadDoesNotCount) {
  FloatCloud cloud = random_cloud(4, 5, {"x", "y", "z", "ring"});
  for (std::size_t i = 0; i < 4; ++i) cloud.row(i)[3] = nan;
  EXPECT_EQ(gather(cloud.view(), input_of({"x", "y", "z"})).size(), 4U);
  cloud.row(1)[2] = nan;
  EXPECT_EQ(gather(cloud.view(), input_of({"x", "y"})).size(), 4U);
}

TEST(Gather, NoValidPoints) {
  const FloatCloud cloud{{"x", "y", "z"}, std::vector<float>(3 * 2000, nan)};
  const Tokens tokens = gather(cloud.view(), input_of({"x", "y", "z"}));
  EXPECT_EQ(tokens.num_points, 2000U);
  EXPECT_EQ(tokens.size(), 0U);
  EXPECT_TRUE(tokens.values.empty());
}

TEST(Gather, ScaledNumbersMustFitInFloat) {
  FloatCloud cloud{{"a"}, {1e38F, -1e38F, 2.0F}};
  EXPECT_EQ(gather(cloud.view(), {{{"a", 1, 10.0}}, Normalization::none, 1.0}).point, (Points{2}));
}

TEST(Gather, ZeroIsInvalidOnRequest) {
  const FloatCloud cloud{{"x", "y", "z", "i"}, {0, -0.0F, 0, 1, 0, 0, 1e-40F, 2, 0, 0, 0, 3, 1, 0, 0, 4}};
  GatherOptions options;
  EXPECT_EQ(gather(cloud.view(), input_of({"x", "y", "z"}), options).point, (Points{0, 1, 2, 3}));
  options.zero_is_invalid = true;
  EXPECT_EQ(gather(cloud.view(), input_of({"x", "y", "z"}), options).point, (Points{1, 3}));
  // Also where the model reads no or few coordinates.
  EXPECT_EQ(gather(cloud.view(), input_of({"i"}), options).values, (Floats{2, 4}));
  EXPECT_EQ(gather(cloud.view(), input_of({"x"}), options).point, (Points{1, 3}));
}

TEST(Gather, ZeroIsJudgedBeforeTheOriginIsRemoved) {
  const FloatCloud cloud{{"x", "y", "z"}, {5, 5, 5, 0, 0, 0}};
  GatherOptions options;
  options.zero_is_invalid = true;
  options.origin = std::array<double, 3>{5, 5, 5};
  EXPECT_EQ(gather(cloud.view(), input_of({"x", "y", "z"}), options).point, (Points{0}));
}

TEST(Gather, PositionsOnRequest) {
  FloatCloud cloud = random_cloud(1500, 5, {"z", "i", "x", "y"});
  cloud.row(7)[0] = nan;
  GatherOptions options;
  options.positions = true;
  for (const auto& names : {std::vector<std::string>{"i"}, {"x", "i"}, {"x", "y", "z"}}) {
    const Tokens tokens = gather(cloud.view(), input_of(names), options);
    ASSERT_EQ(tokens.size(), 1499U);
    ASSERT_EQ(tokens.positions.size(), 3 * tokens.size());
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const float* row = cloud.row(tokens.point[t]);
      EXPECT_EQ(std::vector<float>(&tokens.positions[3 * t], &tokens.positions[3 * t] + 3),
                (Floats{row[2], row[3], row[0]}));
    }
    EXPECT_GT(tokens.coordinate_step, 0.0);
  }
  EXPECT_EQ(gather(cloud.view(), input_of({"i"}), options).position_channels, (Channels{-1, -1, -1}));
}

TEST(Gather, OrganisedWithPaddedRows) {
  const std::size_t width = 37, height = 60, step = 12, row_step = width * step + 20;
  RawCloud cloud(1, height * row_step, {{"x", FieldType::float32, 0, 1}, {"i", FieldType::uint8, 5, 1}});
  cloud.view.width = width;
  cloud.view.height = height;
  cloud.view.point_step = step;
  cloud.view.row_step = row_step;
  cloud.view.size -= 20;
  std::vector<float> expected;
  for (std::size_t i = 0; i < width * height; ++i) {
    cloud.write(i, 0, static_cast<float>(i) + 0.5F);
    cloud.write(i, 5, static_cast<std::uint8_t>(i));
    expected.push_back(static_cast<float>(i) + 0.5F);
    expected.push_back(static_cast<float>(i % 256));
  }
  EXPECT_TRUE(same_bits(gather(cloud.view, input_of({"x", "i"})).values, expected));

  const std::vector<std::int32_t> rows{38, 0, 2219, 38};
  cloud.view.rows = rows.data();
  cloud.view.num_rows = rows.size();
  EXPECT_EQ(gather(cloud.view, input_of({"x"})).values, (Floats{38.5F, 0.5F, 2219.5F, 38.5F}));
}

TEST(Gather, SelectedRowsInTheirOrderWithRepeats) {
  FloatCloud cloud{{"x"}, {10, 11, nan, 13}};
  CloudView view = cloud.view();
  const std::vector<std::int32_t> rows{3, 2, 0, 3};
  view.rows = rows.data();
  view.num_rows = rows.size();
  const Tokens tokens = gather(view, input_of({"x"}));
  EXPECT_EQ(tokens.num_points, 4U);
  EXPECT_EQ(tokens.point, (Points{0, 2, 3}));
  EXPECT_EQ(tokens.values, (Floats{13, 10, 13}));
}

TEST(Gather, FaultsNameTheField) {
  RawCloud cloud(1, 16, {{"x", FieldType::float32, 0, 1}, {"fpfh", FieldType::float32, 4, 3}});
  const auto fault = [&](const InputSpec& input, const GatherOptions& options = {}) {
    return message_of<CloudError>([&] { gather(cloud.view, input, options); });
  };
  EXPECT_TRUE(contains(fault(input_of({"x", "ring"})), "no field 'ring' in the cloud, it has: x, fpfh"));
  EXPECT_TRUE(contains(fault({{{"fpfh", 33}}, Normalization::none, 1.0}),
                       "'fpfh' has 3 elements per point, expected 33"));
  GatherOptions positions;
  positions.positions = true;
  EXPECT_TRUE(contains(fault(input_of({"x"}), positions), "no field 'y'"));
  cloud.view.size = 15;
  EXPECT_TRUE(contains(fault(input_of({"x"})), "15 bytes given"));
}

TEST(Gather, CoordinatesHaveOneChannel) {
  RawCloud cloud(1, 16, {{"x", FieldType::float32, 0, 3}});
  EXPECT_THROW(gather(cloud.view, {{{"x", 3}}, Normalization::none, 1.0}), std::invalid_argument);
  EXPECT_THROW(gather(cloud.view, input_of({"x"})), CloudError);
}

TEST(Gather, SameBitsForAnyNumberOfThreads) {
  const AllowThreads allow(8);
  ASSERT_EQ(count_threads_that_take_part(8), 8U);
  FloatCloud cloud = random_cloud(70001, 9, {"x", "y", "z", "intensity"});
  for (std::size_t i = 0; i < cloud.size(); i += 3) cloud.row(i)[i % 4] = nan;
  InputSpec input = input_of({"x", "y", "z", "intensity"});
  input.normalization = Normalization::centred;
  GatherOptions options;
  options.positions = true;
  options.num_threads = 1;
  const Tokens one = gather(cloud.view(), input, options);
  for (const unsigned threads : {2U, 8U}) {
    options.num_threads = threads;
    const Tokens many = gather(cloud.view(), input, options);
    EXPECT_EQ(many.point, one.point);
    EXPECT_TRUE(same_bits(many.values, one.values));
    EXPECT_TRUE(same_bits(many.positions, one.positions));
    EXPECT_EQ(many.origin, one.origin);
    EXPECT_EQ(many.coordinate_step, one.coordinate_step);
  }
}

}  // namespace
}  // namespace pcl_attention::test
