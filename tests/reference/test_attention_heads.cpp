// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "attention/networks.h"
#include "attention/parity_case.h"
#include "pcl_attention/heads.h"
#include "support/compare.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

constexpr std::size_t kAll = 1000000;

AttentionHeadsResult heads_of(const ModelPtr& model, const FloatCloud& cloud, HeadsRequest request,
                              const std::function<void(EncodeInput&)>& change = {},
                              std::optional<Curve> order = {}) {
  EncoderOptions options;
  options.order = order;
  AttentionHeads heads(model, options);
  EncodeInput input;
  input.surface = cloud.view();
  if (change) change(input);
  return heads.compute(input, request);
}

std::vector<NamedConfig> with_received() {
  std::vector<NamedConfig> result;
  for (const NamedConfig& named : all_mechanisms())
    if (named.config.projection.kind != Projection::convolution) result.push_back(named);
  return result;
}

/// Row `row` of a head's matrix.
const float* row_of(const AttentionHead& head, std::size_t row) {
  return head.weights.data() + row * head.num_slots;
}

TEST(AttentionHeads, AgreeWithLinformerPytorch) {
  const ParityCase parity("visualized");
  const std::vector<float> input = to_floats(parity.file.tensors.at("input"), "input");
  const auto size = static_cast<std::ptrdiff_t>(parity.points * parity.channels);
  CloudView cloud;
  cloud.data = reinterpret_cast<const std::byte*>(input.data());
  cloud.size = static_cast<std::size_t>(size) * sizeof(float);
  cloud.width = parity.points;
  cloud.point_step = parity.channels * sizeof(float);
  cloud.fields = {{"features", FieldType::float32, 0, parity.channels}};
  AttentionHeads heads(parity.model);
  EncodeInput one;
  one.surface = cloud;
  const AttentionHeadsResult result = heads.compute(one, {kAll, false});
  ASSERT_EQ(result.heads.size(), 6U);
  for (const AttentionHead& head : result.heads) {
    std::vector<double> expected =
        parity.numbers("attention." + std::to_string(head.layer) + "." + std::to_string(head.head));
    expected.resize(expected.size() / parity.batch);
    EXPECT_LE(relative_l2(head.weights, expected), 1e-7);
  }
}

TEST(AttentionHeads, RowsAreWeights) {
  const std::size_t n = 150;
  const FloatCloud cloud = random_cloud(n, 3, small_fields());
  for (const NamedConfig& named : all_mechanisms()) {
    const auto result = heads_of(make_random_model(named.config, 2), cloud, {kAll, false});
    EXPECT_EQ(result.heads.size(), named.config.depth * named.config.heads);
    ASSERT_EQ(result.row_points.size(), n);
    for (const AttentionHead& head : result.heads) {
      const bool by_point = named.config.mechanism == Mechanism::kernel;
      const std::size_t slots = by_point ? n : named.config.projected_rows(head.layer, n);
      ASSERT_EQ(head.num_slots, slots) << named.name;
      ASSERT_EQ(head.weights.size(), n * slots);
      for (std::size_t row = 0; row < n; ++row)
        EXPECT_NEAR(std::accumulate(row_of(head, row), row_of(head, row) + slots, 0.0), 1.0, 1e-6);
      EXPECT_EQ(&head, &result.at(head.layer, head.head));
    }
  }
}

TEST(AttentionHeads, FewerRowsAreRowsOfAll) {
  const FloatCloud cloud = random_cloud(100, 3, small_fields());
  const ModelPtr model = make_random_model(small_config(), 2);
  const auto all = heads_of(model, cloud, {kAll, false}), some = heads_of(model, cloud, {7, false});
  ASSERT_EQ(some.row_points.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    const std::size_t row = i * 100 / 7;
    EXPECT_EQ(some.row_points[i], all.row_points[row]);
    for (std::size_t h = 0; h < all.heads.size(); ++h)
      EXPECT_TRUE(std::equal(row_of(some.heads[h], i), row_of(some.heads[h], i) + some.heads[h].num_slots,
                             row_of(all.heads[h], row)));
  }
  EXPECT_TRUE(heads_of(model, cloud, {0, false}).row_points.empty());
}

TEST(AttentionHeads, StrongestSlotIsTheLargestOfTheRow) {
  const FloatCloud cloud = random_cloud(1100, 3, small_fields());
  for (const NamedConfig& named : with_received()) {
    if (named.config.mechanism == Mechanism::kernel) continue;  // has none
    const auto result = heads_of(make_random_model(named.config, 2), cloud, {kAll, true});
    for (const AttentionHead& head : result.heads)
      for (std::size_t row = 0; row < 1100; row += 13) {
        const auto slot = static_cast<std::size_t>(head.strongest_slot[result.row_points[row]]);
        ASSERT_LT(slot, head.num_slots);
        EXPECT_EQ(row_of(head, row)[slot],
                  *std::max_element(row_of(head, row), row_of(head, row) + head.num_slots));
      }
  }
}

TEST(AttentionHeads, ReceivedSumsToOne) {
  const FloatCloud cloud = random_cloud(1500, 3, small_fields());
  for (const NamedConfig& named : with_received())
    for (const AttentionHead& head : heads_of(make_random_model(named.config, 2), cloud, {0, true}).heads)
      EXPECT_NEAR(std::accumulate(head.received.begin(), head.received.end(), 0.0), 1.0, 1e-5) << named.name;
}

TEST(AttentionHeads, ReceivedOfFullAndKernelsIsTheMeanOfTheColumns) {
  const std::size_t n = 120;
  const FloatCloud cloud = random_cloud(n, 3, small_fields());
  for (const NamedConfig& named : with_received()) {
    const Mechanism mechanism = named.config.mechanism;
    if (mechanism != Mechanism::full && mechanism != Mechanism::kernel) continue;
    const auto result = heads_of(make_random_model(named.config, 2), cloud, {kAll, true}, {}, Curve::none);
    for (const AttentionHead& head : result.heads) {
      std::vector<double> mean(n, 0.0);
      for (std::size_t row = 0; row < n; ++row)
        for (std::size_t j = 0; j < n; ++j) mean[j] += static_cast<double>(row_of(head, row)[j]) / n;
      EXPECT_LE(relative_l2(head.received, mean), 1e-6) << named.name;
    }
  }
}

TEST(AttentionHeads, ReceivedOfInducingGoesThroughTheSlotsOfThePoints) {
  const std::size_t n = 64;
  const FloatCloud cloud = random_cloud(n, 3, small_fields());
  ModelConfig config = with_slots(Mechanism::inducing);
  config.slots = 1;  // every row looks at the one slot, so a point receives its share in it
  config.depth = 1;
  const ModelPtr model = make_random_model(config, 2);
  const auto one = heads_of(model, cloud, {0, true}, {}, Curve::none);
  config.slots = 2;  // two equal slots receive the same as one
  TensorMap tensors = model->tensors();
  Tensor& slots = tensors.at("layers.0.attention.slots.weight");
  slots.shape[0] = 2;
  slots.values.insert(slots.values.end(), slots.values.begin(), slots.values.end());
  const auto two = heads_of(std::make_shared<Model>(config, tensors), cloud, {0, true}, {}, Curve::none);
  for (std::size_t h = 0; h < config.heads; ++h) {
    EXPECT_LE(relative_l2(one.heads[h].received, two.heads[h].received), 1e-6);
    EXPECT_GT(relative_l2(one.heads[h].received, one.heads[(h + 1) % 3].received), 1e-3);
  }
}

TEST(AttentionHeads, ReceivedOfLinformerGoesThroughE) {
  const std::size_t n = 64, k = 7;
  const FloatCloud cloud = random_cloud(n, 3, small_fields());
  const ModelPtr model = make_random_model(with_projection(Projection::learned, Sharing::none), 2);
  const auto result = heads_of(model, cloud, {kAll, true}, {}, Curve::none);
  for (const AttentionHead& head : result.heads) {
    const Tensor& e = model->tensor("layers." + std::to_string(head.layer) + ".attention.projection." +
                                    std::to_string(head.head) + ".E.weight");
    std::vector<double> received(n, 0.0);
    double sum = 0.0;
    for (std::size_t c = 0; c < k; ++c) {
      double mean = 0.0;
      for (std::size_t row = 0; row < n; ++row) mean += static_cast<double>(row_of(head, row)[c]) / n;
      for (std::size_t j = 0; j < n; ++j) {
        received[j] += std::abs(static_cast<double>(e.values[c * n + j])) * mean;
        sum += std::abs(static_cast<double>(e.values[c * n + j])) * mean;
      }
    }
    for (double& value : received) value /= sum;
    EXPECT_LE(relative_l2(head.received, received), 1e-6);
  }
}

TEST(AttentionHeads, PermutedPointsReceiveTheSame) {
  const FloatCloud cloud = random_cloud(300, 3, small_fields());
  const auto source = random_permutation(300, 5);
  for (const NamedConfig& named : with_received()) {
    const ModelPtr model = make_random_model(named.config, 2);
    const auto before = heads_of(model, cloud, {4, true}, {}, Curve::morton);
    const auto after = heads_of(model, permuted(cloud, source), {4, true}, {}, Curve::morton);
    for (std::size_t h = 0; h < before.heads.size(); ++h) {
      EXPECT_TRUE(same_bits(before.heads[h].weights, after.heads[h].weights));
      for (std::size_t i = 0; i < 300; ++i) {
        ASSERT_EQ(after.heads[h].received[i], before.heads[h].received[source[i]]);
        ASSERT_EQ(after.heads[h].strongest_slot[i], before.heads[h].strongest_slot[source[i]]);
      }
    }
  }
}

TEST(AttentionHeads, InvalidAndMaskedPoints) {
  FloatCloud cloud = random_cloud(90, 3, small_fields());
  cloud.row(5)[1] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::uint8_t> mask(90, 1);
  mask[8] = 0;
  for (const NamedConfig& named : with_received())
    for (const AttentionHead& head :
         heads_of(make_random_model(named.config, 2), cloud, {3, true}, [&](EncodeInput& input) {
           input.key_mask = mask.data();
         }).heads) {
      EXPECT_TRUE(std::isnan(head.received[5]));
      EXPECT_EQ(head.strongest_slot[5], -1);
      EXPECT_EQ(head.received[8], 0.0F);
      EXPECT_EQ(head.strongest_slot[8] >= 0, named.config.mechanism != Mechanism::kernel);
    }
}

TEST(AttentionHeads, NoPoints) {
  const auto result =
      heads_of(make_random_model(small_config(), 2), FloatCloud{small_fields(), {}}, {5, true});
  EXPECT_TRUE(result.heads.empty());
  EXPECT_EQ(result.num_points, 0U);
}

TEST(AttentionHeads, DecoderShowsItsQueries) {
  ModelConfig config = with_mechanism(Mechanism::full);
  config.decoder = true;
  const FloatCloud surface = random_cloud(50, 3, small_fields()),
                   queries = random_cloud(20, 4, small_fields());
  const CloudView view = queries.view();
  const auto result = heads_of(make_random_model(config, 2), surface, {kAll, false},
                               [&](EncodeInput& input) { input.queries = &view; });
  EXPECT_EQ(result.row_points.size(), 20U);
  EXPECT_EQ(result.at(0, 0).num_slots, 20U);
  EXPECT_EQ(result.at(1, 0).num_slots, 50U);
}

TEST(AttentionHeads, WhatIsNotDefinedIsRefused) {
  const FloatCloud cloud = random_cloud(90, 3, small_fields());
  const CloudView view = cloud.view();
  const ModelPtr convolution = make_random_model(with_convolution({3}), 2);
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] {
                         heads_of(convolution, cloud, {5, true});
                       }),
                       "convolution"));
  EXPECT_EQ(heads_of(convolution, cloud, {5, false}).at(1, 2).num_slots, 30U);
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] {
                         heads_of(make_random_model(small_config()), cloud, {5, true},
                                  [&](EncodeInput& input) { input.queries = &view; });
                       }),
                       "queries"));
  EXPECT_THROW(AttentionHeads(nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace pcl_attention::test
