// SPDX-License-Identifier: BSD-3-Clause
// What every mechanism promises, held on every engine.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "attention/networks.h"
#include "pcl_attention/equivariance.h"
#include "support/compare.h"
#include "support/cuda.h"

namespace pcl_attention::test {
namespace {

using NamedEngine = std::pair<const char*, Device>;

class Laws : public testing::TestWithParam<std::tuple<NamedConfig, NamedEngine>> {
 protected:
  void SetUp() override {
    if (device() == Device::cuda) PCL_ATTENTION_NEEDS_CUDA();
  }
  const NamedConfig& named() const { return std::get<0>(GetParam()); }
  ModelPtr model() const { return make_random_model(named().config, 7); }
  Device device() const { return std::get<1>(GetParam()).second; }
  /// Largest permutation error of a mechanism that ignores the order.
  double rounding() const { return device() == Device::reference ? 1e-12 : 1e-6; }
};

/// Returns rows source[0], source[1] … of 12 numbers each.
std::vector<double> chosen_rows(const std::vector<double>& rows, const std::vector<std::uint32_t>& source) {
  const std::size_t width = small_config().channels;
  std::vector<double> result;
  for (std::uint32_t row : source)
    result.insert(result.end(), rows.begin() + static_cast<std::ptrdiff_t>(row * width),
                  rows.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  return result;
}

TEST_P(Laws, BitwiseEquivariantBehindAnOrder) {
  for (const Curve curve : {Curve::morton, Curve::hilbert}) {
    Encoder encoder = make_encoder(model(), device(), curve);
    for (std::size_t n : {1U, 2U, 63U, 1025U, 2500U}) {
      if (n < named().least_points) continue;
      const FloatCloud cloud = random_cloud(n, static_cast<std::uint32_t>(n), small_fields());
      const auto source = random_permutation(n, 3);
      EXPECT_TRUE(
          same_bits(encode(encoder, permuted(cloud, source)), chosen_rows(encode(encoder, cloud), source)))
          << n;
    }
  }
}

TEST_P(Laws, PermutationErrorWithoutOrderIsAsPromised) {
  if (named().needs_order()) {
    EXPECT_THROW(make_encoder(model(), device(), Curve::none), std::invalid_argument);
    return;
  }
  Encoder encoder = make_encoder(model(), device(), Curve::none);
  const std::size_t n = 1500;
  const FloatCloud cloud = random_cloud(n, 11, small_fields());
  const auto source = random_permutation(n, 5);
  const double error =
      relative_l2(encode(encoder, permuted(cloud, source)), chosen_rows(encode(encoder, cloud), source));
  if (named().ignores_order)
    EXPECT_LE(error, rounding());
  else
    EXPECT_GT(error, 1e-5);
}

TEST_P(Laws, QueryPointsGetTheirRowsBitForBit) {
  Encoder encoder = make_encoder(model(), device());
  const FloatCloud cloud = random_cloud(1000, 2, small_fields());
  const std::vector<double> all = encode(encoder, cloud);
  const std::vector<std::int32_t> points{5, 900, 3, 900};
  const std::vector<double> some = encode(encoder, cloud, [&](EncodeInput& input) {
    input.query_points = points.data();
    input.num_query_points = points.size();
  });
  EXPECT_TRUE(same_bits(some, chosen_rows(all, {5, 900, 3, 900})));
}

TEST_P(Laws, ForeignQueriesEqualToSurfacePointsGetTheirRowsBitForBit) {
  Encoder encoder = make_encoder(model(), device());
  const FloatCloud cloud = random_cloud(777, 4, small_fields());
  FloatCloud queries{cloud.names, {}};
  for (std::size_t row : {5U, 700U, 3U})
    queries.values.insert(queries.values.end(), cloud.row(row), cloud.row(row) + cloud.names.size());
  const CloudView view = queries.view();
  const auto rows = encode(encoder, cloud, [&](EncodeInput& input) { input.queries = &view; });
  EXPECT_TRUE(same_bits(rows, chosen_rows(encode(encoder, cloud), {5, 700, 3})));
}

TEST_P(Laws, PermutedSurfaceChangesNoBitAndPermutedQueriesPermuteRows) {
  Encoder encoder = make_encoder(model(), device(), Curve::morton);
  const FloatCloud surface = random_cloud(1100, 12, small_fields()),
                   queries = random_cloud(90, 13, small_fields());
  const auto answer = [&](const FloatCloud& asked, const FloatCloud& summarised) {
    const CloudView view = asked.view();
    return encode(encoder, summarised, [&](EncodeInput& input) { input.queries = &view; });
  };
  const auto rows = answer(queries, surface);
  EXPECT_TRUE(same_bits(answer(queries, permuted(surface, random_permutation(1100, 1))), rows));
  const auto source = random_permutation(90, 2);
  EXPECT_TRUE(same_bits(answer(permuted(queries, source), surface), chosen_rows(rows, source)));
}

TEST_P(Laws, MaskedPointsAreAnsweredButNeverContribute) {
  Encoder encoder = make_encoder(model(), device(), Curve::morton);
  const std::size_t n = 600, kept = 450;
  FloatCloud cloud = random_cloud(n, 6, small_fields());
  std::vector<std::uint8_t> mask(n, 0);
  std::fill_n(mask.begin(), kept, std::uint8_t{1});
  const auto masked = encode(encoder, cloud, [&](EncodeInput& input) { input.key_mask = mask.data(); });
  for (std::size_t i = kept; i < n; ++i) cloud.row(i)[0] += 50.0F;
  const auto moved = encode(encoder, cloud, [&](EncodeInput& input) { input.key_mask = mask.data(); });
  cloud.values.resize(kept * cloud.names.size());
  const auto alone = encode(encoder, cloud);
  const std::vector<double> first(masked.begin(), masked.begin() + static_cast<std::ptrdiff_t>(alone.size()));
  EXPECT_TRUE(same_bits(first, alone));
  EXPECT_TRUE(std::equal(first.begin(), first.end(), moved.begin()));
}

TEST_P(Laws, ConstantRowsGiveConstantRows) {
  Encoder encoder = make_encoder(model(), device());
  FloatCloud cloud = random_cloud(80, 8, small_fields());
  for (std::size_t i = 1; i < cloud.size(); ++i) std::copy_n(cloud.row(0), cloud.names.size(), cloud.row(i));
  const auto rows = encode(encoder, cloud);
  const std::size_t width = rows.size() / cloud.size();
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], rows[i % width]);
}

TEST_P(Laws, InvalidRowsAreNanAndOthersAsIfTheyWereNotThere) {
  Encoder encoder = make_encoder(model(), device());
  FloatCloud cloud = random_cloud(301, 9, small_fields());
  const auto without = [&] {
    FloatCloud less = cloud;
    less.values.erase(less.values.begin() + 400, less.values.begin() + 404);
    return encode(encoder, less);
  }();
  cloud.row(100)[3] = std::numeric_limits<float>::quiet_NaN();
  auto rows = encode(encoder, cloud);
  const std::size_t width = rows.size() / 301;
  for (std::size_t c = 0; c < width; ++c) EXPECT_TRUE(std::isnan(rows[100 * width + c]));
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(100 * width),
             rows.begin() + static_cast<std::ptrdiff_t>(101 * width));
  EXPECT_TRUE(same_bits(rows, without));
}

TEST_P(Laws, ReportStatesTheLevel) {
  const FloatCloud cloud = random_cloud(1300, 10, small_fields());
  Encoder ordered = make_encoder(model(), device(), Curve::morton);
  EXPECT_EQ(evaluate_equivariance(cloud.view(), ordered).level, EquivarianceLevel::bitwise);
  if (named().needs_order()) return;
  Encoder as_given = make_encoder(model(), device(), Curve::none);
  const EquivarianceReport report = evaluate_equivariance(cloud.view(), as_given);
  EXPECT_EQ(report.level, named().ignores_order ? EquivarianceLevel::rounding : EquivarianceLevel::none)
      << report.permutation.max_relative_l2;
}

INSTANTIATE_TEST_SUITE_P(
    Mechanisms, Laws,
    testing::Combine(testing::ValuesIn(all_mechanisms()),
                     testing::Values(NamedEngine{"reference", Device::reference},
                                     NamedEngine{"cpu", Device::cpu}, NamedEngine{"cuda", Device::cuda})),
    [](const auto& one) { return std::get<0>(one.param).name + "_" + std::get<1>(one.param).first; });

/// A decoder of each mechanism that takes any number of points.
std::vector<ModelPtr> decoders() {
  std::vector<ModelPtr> models;
  for (NamedConfig named : all_mechanisms()) {
    named.config.decoder = true;
    models.push_back(make_random_model(named.config, 8));
  }
  return models;
}

TEST(Decoder, PermutedSurfaceChangesNoBitAndPermutedQueriesPermuteRows) {
  const FloatCloud surface = random_cloud(300, 12, small_fields()),
                   queries = random_cloud(90, 13, small_fields());
  for (const ModelPtr& decoder : decoders()) {
    Encoder encoder = make_encoder(decoder, Device::reference, Curve::morton);
    const auto answer = [&](const FloatCloud& asked, const FloatCloud& summarised) {
      const CloudView view = asked.view();
      return encode(encoder, summarised, [&](EncodeInput& input) { input.queries = &view; });
    };
    const auto rows = answer(queries, surface);
    EXPECT_TRUE(same_bits(answer(queries, permuted(surface, random_permutation(300, 1))), rows));
    const auto source = random_permutation(90, 2);
    EXPECT_TRUE(same_bits(answer(permuted(queries, source), surface), chosen_rows(rows, source)));
  }
}

TEST(Decoder, QueriesAttendToEachOtherUnlessMasked) {
  const FloatCloud surface = random_cloud(200, 12, small_fields());
  FloatCloud queries = random_cloud(80, 13, small_fields());
  std::vector<std::uint8_t> mask(queries.size(), 1);
  mask[7] = 0;
  for (const ModelPtr& decoder : decoders()) {
    Encoder encoder = make_encoder(decoder, Device::reference, Curve::morton);
    const auto first_row = [&](const std::uint8_t* query_mask) {
      const CloudView view = queries.view();
      auto rows = encode(encoder, surface, [&](EncodeInput& input) {
        input.queries = &view;
        input.query_mask = query_mask;
      });
      rows.resize(small_config().channels);
      return rows;
    };
    const auto before = first_row(nullptr), masked = first_row(mask.data());
    queries.row(7)[0] += 5.0F;
    EXPECT_FALSE(same_bits(first_row(nullptr), before));
    EXPECT_TRUE(same_bits(first_row(mask.data()), masked));
    queries.row(7)[0] -= 5.0F;
  }
}

TEST(Linformer, IdentityProjectionEqualsFullAttention) {
  ModelConfig config = with_projection(Projection::fixed);
  const std::size_t n = 40;
  config.projection.k = config.projection.length = n;
  const ModelPtr random = make_random_model(config, 3);
  TensorMap tensors = random->tensors();
  Tensor& projection = tensors.at("projection.weight");
  std::fill(projection.values.begin(), projection.values.end(), 0.0F);
  for (std::size_t i = 0; i < n; ++i) projection.values[i * n + i] = 1.0F;
  Encoder identity = make_encoder(std::make_shared<Model>(config, tensors), Device::reference);

  tensors.erase("projection.weight");
  config.mechanism = Mechanism::full;
  Encoder full = make_encoder(std::make_shared<Model>(config, tensors), Device::reference);
  const FloatCloud cloud = random_cloud(n, 21, small_fields());
  EXPECT_LE(relative_l2(encode(identity, cloud), encode(full, cloud)), 1e-13);
}

}  // namespace
}  // namespace pcl_attention::test
