// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "attention/networks.h"
#include "pcl_attention/error.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Encoder, NullModelIsRefused) { EXPECT_THROW(Encoder(nullptr), std::invalid_argument); }

TEST(Encoder, EmptyCloudGivesNoRows) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  EXPECT_TRUE(encode(encoder, FloatCloud{small_fields(), {}}).empty());
}

TEST(Encoder, AllInvalidGivesNanRowsEvenWhereTheLengthIsStrict) {
  ModelConfig config = small_config();
  config.projection.length_policy = LengthPolicy::strict;
  Encoder encoder = make_encoder(make_random_model(config), Device::reference);
  FloatCloud cloud = random_cloud(3, 1, small_fields());
  for (float& value : cloud.values) value = std::numeric_limits<float>::infinity();
  for (double value : encode(encoder, cloud)) EXPECT_TRUE(std::isnan(value));
}

TEST(Encoder, FewestPointsAreFinite) {
  for (const NamedConfig& named : all_mechanisms()) {
    Encoder encoder = make_encoder(make_random_model(named.config), Device::reference);
    for (double value : encode(encoder, random_cloud(named.least_points, 1, small_fields())))
      EXPECT_TRUE(std::isfinite(value)) << named.name;
  }
}

TEST(Encoder, StrictLengthExplainsThePolicies) {
  ModelConfig config = small_config();
  config.projection.length_policy = LengthPolicy::strict;
  Encoder encoder = make_encoder(make_random_model(config), Device::reference);
  const std::string message = message_of([&] { encode(encoder, random_cloud(63, 1, small_fields())); });
  for (const char* part : {"64 points", "63", "strict", "pad", "slice", "resample"})
    EXPECT_TRUE(contains(message, part)) << message;
  EXPECT_EQ(encode(encoder, random_cloud(64, 1, small_fields())).size(), 64U * 12U);
}

TEST(Encoder, MorePointsThanSliceAndPadHaveIsAnError) {
  for (LengthPolicy policy : {LengthPolicy::slice, LengthPolicy::pad}) {
    ModelConfig config = small_config();
    config.projection.length_policy = policy;
    Encoder encoder = make_encoder(make_random_model(config), Device::reference);
    EXPECT_THROW(encode(encoder, random_cloud(65, 1, small_fields())), ModelError);
    EXPECT_NO_THROW(encode(encoder, random_cloud(20, 1, small_fields())));
  }
}

TEST(Encoder, FewerPointsThanAConvolutionTakesIsAnError) {
  Encoder encoder = make_encoder(make_random_model(with_convolution({9})), Device::reference);
  const std::string message = message_of([&] { encode(encoder, random_cloud(8, 1, small_fields())); });
  EXPECT_TRUE(contains(message, "9 points") && contains(message, "has 8")) << message;
  EXPECT_NO_THROW(encode(encoder, random_cloud(9, 1, small_fields())));
}

TEST(Encoder, ResampleAtTheStoredLengthIsStrictBitForBit) {
  for (Sharing sharing : {Sharing::none, Sharing::headwise, Sharing::layerwise}) {
    const ModelPtr model = make_random_model(with_projection(Projection::learned, sharing), 4);
    const FloatCloud cloud = random_cloud(64, 1, small_fields());
    EncoderOptions options;
    options.device = Device::reference;
    options.length = LengthPolicy::strict;
    Encoder strict(model, options), resample = make_encoder(model, Device::reference);
    EXPECT_TRUE(same_bits(encode(strict, cloud), encode(resample, cloud)));
  }
}

TEST(Encoder, RankEncodingNeedsPointsOfTheSurface) {
  ModelConfig config = small_config();
  config.position_encoding = PositionEncoding::rank;
  Encoder encoder = make_encoder(make_random_model(config), Device::reference);
  const FloatCloud cloud = random_cloud(50, 1, small_fields());
  const CloudView view = cloud.view();
  EXPECT_THROW(encode(encoder, cloud, [&](EncodeInput& input) { input.queries = &view; }),
               std::invalid_argument);
  const std::int32_t point = 7;
  const auto row = encode(encoder, cloud, [&](EncodeInput& input) {
    input.query_points = &point;
    input.num_query_points = 1;
  });
  const auto all = encode(encoder, cloud);
  EXPECT_TRUE(std::equal(row.begin(), row.end(), all.begin() + 7 * 12));
}

TEST(Encoder, CausalMaskNeedsPointsOfTheSurface) {
  ModelConfig config = small_config();
  config.causal = CausalMask::legacy;
  Encoder encoder = make_encoder(make_random_model(config), Device::reference);
  const FloatCloud cloud = random_cloud(50, 1, small_fields());
  const CloudView view = cloud.view();
  const std::string message =
      message_of([&] { encode(encoder, cloud, [&](EncodeInput& input) { input.queries = &view; }); });
  EXPECT_TRUE(contains(message, "causal mask")) << message;
  EXPECT_EQ(encode(encoder, cloud).size(), 50U * 12U);
}

TEST(Encoder, DecoderNeedsQueriesAndOnlyADecoderTakesTheirMask) {
  ModelConfig config = small_config();
  const FloatCloud cloud = random_cloud(50, 1, small_fields());
  const CloudView view = cloud.view();
  const std::vector<std::uint8_t> mask(50, 1);
  Encoder plain = make_encoder(make_random_model(config), Device::reference);
  const auto with_mask = [&](EncodeInput& input) { input.queries = &view, input.query_mask = mask.data(); };
  EXPECT_TRUE(contains(message_of([&] { encode(plain, cloud, with_mask); }), "query_mask"));
  config.decoder = true;
  Encoder decoder = make_encoder(make_random_model(config), Device::reference);
  EXPECT_TRUE(contains(message_of([&] { encode(decoder, cloud); }), "decoder"));
  EXPECT_EQ(encode(decoder, cloud, with_mask).size(), 50U * 12U);
}

TEST(Encoder, QueryPointOutOfRangeIsNamed) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  const std::vector<std::int32_t> points{3, 50};
  const std::string message = message_of([&] {
    encode(encoder, random_cloud(50, 1, small_fields()), [&](EncodeInput& input) {
      input.query_points = points.data();
      input.num_query_points = 2;
    });
  });
  EXPECT_TRUE(contains(message, "query_points[1]") && contains(message, "50")) << message;
}

TEST(Encoder, InvalidQueriesAreNanRows) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  FloatCloud cloud = random_cloud(50, 1, small_fields()), queries = random_cloud(3, 2, small_fields());
  queries.row(1)[0] = std::numeric_limits<float>::quiet_NaN();
  const CloudView view = queries.view();
  const auto rows = encode(encoder, cloud, [&](EncodeInput& input) { input.queries = &view; });
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(std::isnan(rows[i]), i / 12 == 1);
}

TEST(Encoder, UnitSphereForgetsOffsetAndSize) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  const FloatCloud cloud = random_cloud(500, 3, small_fields());
  FloatCloud moved = cloud;
  for (std::size_t i = 0; i < moved.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) moved.row(i)[axis] = 4.0F * moved.row(i)[axis] + 1024.0F;
  EXPECT_LE(relative_l2(encode(encoder, moved), encode(encoder, cloud)), 1e-3);
  EXPECT_GT(relative_l2(encode(encoder, moved), encode(encoder, random_cloud(500, 4, small_fields()))), 1e-2);
}

TEST(Encoder, OffsetInDoubleCoordinatesDoesNotMatter) {
  // UTM-like coordinates: the same cloud with and without an offset of 4.5e5, 5.4e6, 300 metres.
  const FloatCloud cloud = random_cloud(800, 3, {"x", "y", "z", "intensity"});
  const auto as_double = [&](double x, double y, double z) {
    std::vector<double> numbers(cloud.values.begin(), cloud.values.end());
    const double offset[4] = {x, y, z, 0.0};
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += offset[i % 4];
    return numbers;
  };
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  const auto rows_of = [&](const std::vector<double>& numbers) {
    EncodeInput input;
    input.surface.data = reinterpret_cast<const std::byte*>(numbers.data());
    input.surface.size = numbers.size() * sizeof(double);
    input.surface.width = numbers.size() / 4;
    input.surface.point_step = 4 * sizeof(double);
    for (std::size_t c = 0; c < 4; ++c)
      input.surface.fields.push_back({cloud.names[c], FieldType::float64, c * sizeof(double), 1});
    std::vector<double> rows(input.surface.width * 12);
    encoder.encode(input, rows.data());
    return rows;
  };
  EXPECT_LE(relative_l2(rows_of(as_double(4.5e5, 5.4e6, 300.0)), rows_of(as_double(0.0, 0.0, 0.0))), 1e-4);
}

TEST(Encoder, FloatRowsAreTheDoubleRowsRounded) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  const FloatCloud cloud = random_cloud(100, 3, small_fields());
  EncodeInput input;
  input.surface = cloud.view();
  std::vector<float> rows(100 * 12);
  const EncodeResult result = encoder.encode(input, rows.data());
  const auto doubles = encode(encoder, cloud);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], static_cast<float>(doubles[i]));
  EXPECT_EQ(result.num_rows, 100U);
  EXPECT_EQ(result.width, 12U);
  EXPECT_EQ(result.num_valid, 100U);
  EXPECT_EQ(result.num_nan_rows, 0U);
}

TEST(Encoder, CancelStopsAndProgressReachesTheEnd) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  const FloatCloud cloud = random_cloud(100, 3, small_fields());
  EncodeInput input;
  input.surface = cloud.view();
  std::vector<double> rows(100 * 12);
  std::vector<double> seen;
  EncodeControls controls;
  controls.progress = [&](double done) { seen.push_back(done); };
  encoder.encode(input, rows.data(), controls);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1.0);
  const std::atomic<bool> cancel{true};
  controls.cancel = &cancel;
  EXPECT_THROW(encoder.encode(input, rows.data(), controls), Cancelled);
}

TEST(Encoder, MissingFieldIsNamed) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::reference);
  const std::string message = message_of([&] {
    encode(encoder, random_cloud(10, 1, {"x", "y", "z", "ring"}));
  });
  EXPECT_TRUE(contains(message, "intensity") && contains(message, "ring")) << message;
}

TEST(Encoder, UnreachedAnchorsAreCountedAndLeftOut) {
  ModelConfig config = with_projection(Projection::position);
  config.projection.anchor_grid = {20, 20, 20};
  config.projection.sigma = 0.2;
  Encoder encoder = make_encoder(make_random_model(config), Device::reference);
  const FloatCloud cloud = random_cloud(30, 3, small_fields());
  EncodeInput input;
  input.surface = cloud.view();
  std::vector<double> rows(30 * 12);
  EXPECT_GT(encoder.encode(input, rows.data()).masked_slots, 1000U);
  for (double value : rows) EXPECT_TRUE(std::isfinite(value));
}

TEST(Encoder, OptionsOfTheNetworkChangeItsRows) {
  const FloatCloud cloud = random_cloud(100, 3, small_fields());
  std::vector<ModelConfig> configs(9, small_config());
  configs[1].norm = NormPlacement::pre;
  configs[2].activation = Activation::relu;
  configs[3].feed_forward = 0;
  configs[4].output_intermediate = 6;
  configs[5].head_output = 12;
  configs[6].position_encoding = PositionEncoding::none;
  configs[7].position_encoding = PositionEncoding::rank;
  configs[8].inner_channels = 9;
  std::vector<std::vector<double>> rows;
  for (const ModelConfig& config : configs) {
    Encoder encoder = make_encoder(make_random_model(config), Device::reference);
    rows.push_back(encode(encoder, cloud));
    for (std::size_t other = 0; other + 1 < rows.size(); ++other)
      EXPECT_GT(relative_l2(rows.back(), rows[other]), 1e-4) << other << ' ' << rows.size() - 1;
  }
}

}  // namespace
}  // namespace pcl_attention::test
