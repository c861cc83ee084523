// SPDX-License-Identifier: BSD-3-Clause
// Probabilities of an outlier model: the formula, and what they must not depend on.
#include "pcl_attention/outliers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pcl_attention/error.h"
#include "pcl_attention/outlier_model.h"
#include "support/clouds.h"
#include "support/compare.h"
#include "support/errors.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

const float nan = std::numeric_limits<float>::quiet_NaN();

/// Two dense lumps, a few points far out, copies, and points without a number.
FloatCloud lumps(std::size_t n, std::uint32_t seed) {
  FloatCloud cloud = random_cloud(n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    float* const point = cloud.row(i);
    if (i % 20 != 0)
      for (int axis = 0; axis < 3; ++axis) point[axis] = 0.1F * point[axis] + static_cast<float>(i % 2);
    if (i % 31 == 7) point[1] = nan;
    if (i % 11 == 3) std::copy_n(cloud.row(i - 1), 3, point);
  }
  return cloud;
}

std::vector<float> probabilities(const FloatCloud& cloud, const ModelPtr& model,
                                 EncoderOptions options = {}) {
  Encoder encoder(model, options);
  EncodeInput input;
  input.surface = cloud.view();
  std::vector<float> result(cloud.size());
  outlier_probabilities(encoder, input, result.data());
  return result;
}

EncoderOptions with(Device device, unsigned threads = 0) {
  EncoderOptions options;
  options.device = device;
  options.num_threads = threads;
  options.sensor_origin = {3.0, -2.0, 1.0};
  return options;
}

TEST(Outliers, ProbabilitiesAreTheLogisticOfTheRows) {
  const FloatCloud cloud = lumps(700, 1);
  for (const bool sensor : {false, true}) {
    const ModelPtr model = shipped_outlier_model(sensor);
    Encoder reference(model, with(Device::reference));
    EncodeInput input;
    input.surface = cloud.view();
    std::vector<double> rows(cloud.size());
    reference.encode(input, rows.data());
    const std::vector<float> exact = probabilities(cloud, model, with(Device::reference));
    const std::vector<float> fast = probabilities(cloud, model, with(Device::cpu));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::isnan(cloud.row(i)[1])) {
        EXPECT_TRUE(std::isnan(exact[i]) && std::isnan(fast[i])) << i;
        continue;
      }
      const double p = 1.0 / (1.0 + std::exp(-rows[i]));
      EXPECT_NEAR(static_cast<double>(exact[i]), p, 1e-6) << i;
      EXPECT_NEAR(static_cast<double>(fast[i]), p, 1e-4) << i;
    }
  }
}

TEST(Outliers, ShufflesAndThreadsChangeNoBit) {
  const AllowThreads allowed(8);
  for (const std::size_t n : {1U, 2U, 33U, 4001U}) {
    const FloatCloud cloud = lumps(n, 2);
    const std::vector<std::uint32_t> source = random_permutation(n, 3);
    for (const bool sensor : {false, true}) {
      const ModelPtr model = shipped_outlier_model(sensor);
      const std::vector<float> one = probabilities(cloud, model, with(Device::cpu, 1));
      for (const unsigned threads : {2U, 8U})
        EXPECT_TRUE(same_bits(probabilities(cloud, model, with(Device::cpu, threads)), one)) << n;
      std::vector<float> moved;
      for (const std::uint32_t point : source) moved.push_back(one[point]);
      EXPECT_TRUE(same_bits(probabilities(permuted(cloud, source), model, with(Device::cpu, 8)), moved)) << n;
    }
  }
}

TEST(Outliers, NoPointsAndNoValidPoints) {
  EXPECT_TRUE(probabilities(random_cloud(0, 1), shipped_outlier_model(false)).empty());
  FloatCloud cloud = random_cloud(50, 1);
  for (std::size_t i = 0; i < 50; ++i) cloud.row(i)[i % 3] = nan;
  for (const float p : probabilities(cloud, shipped_outlier_model(true))) EXPECT_TRUE(std::isnan(p));
}

TEST(Outliers, OnlyTheModelWithSensorOriginKnowsWhereTheSensorStood) {
  const FloatCloud cloud = lumps(300, 4);
  for (const bool sensor : {false, true}) {
    const std::vector<float> here = probabilities(cloud, shipped_outlier_model(sensor));
    const std::vector<float> there = probabilities(cloud, shipped_outlier_model(sensor), with(Device::cpu));
    EXPECT_EQ(same_bits(here, there), !sensor);
  }
}

TEST(Outliers, SensorOriginOfAnInputGoesBeforeThatOfTheOptions) {
  const FloatCloud cloud = lumps(300, 4);
  const ModelPtr model = shipped_outlier_model(true);
  Encoder encoder(model, {});
  EncodeInput input;
  input.surface = cloud.view();
  input.sensor_origin = with(Device::cpu).sensor_origin;
  std::vector<float> result(cloud.size());
  outlier_probabilities(encoder, input, result.data());
  EXPECT_TRUE(same_bits(result, probabilities(cloud, model, with(Device::automatic))));
}

TEST(Outliers, AModelOfOtherRowsIsRefusedAndNothingWritten) {
  Encoder encoder(make_preset("position"), {});
  const FloatCloud cloud = random_cloud(5, 1);
  EncodeInput input;
  input.surface = cloud.view();
  std::vector<float> result(5, 7.0F);
  EXPECT_TRUE(contains(message_of<ModelError>([&] { outlier_probabilities(encoder, input, result.data()); }),
                       "expected head_output 1"));
  EXPECT_EQ(result, std::vector<float>(5, 7.0F));
}

TEST(Outliers, ThresholdDividesAndNanIsNeverAnOutlier) {
  const std::vector<float> values{0.0F, 0.25F, 0.5F, nan, 1.0F};
  using States = std::vector<std::uint8_t>;
  EXPECT_EQ(find_outliers(values, 0.0), (States{1, 1, 1, 0, 1}));
  EXPECT_EQ(find_outliers(values, 0.25), (States{0, 1, 1, 0, 1}));
  EXPECT_EQ(find_outliers(values, 0.5000001), (States{0, 0, 0, 0, 1}));
  EXPECT_EQ(find_outliers(values, 1.0), (States{0, 0, 0, 0, 1}));
  EXPECT_TRUE(find_outliers({}, 0.5).empty());
  for (const double wrong : {-1e-9, 1.0001, static_cast<double>(nan)})
    EXPECT_TRUE(
        contains(message_of<std::invalid_argument>([&] { find_outliers(values, wrong); }), "threshold"));
}

}  // namespace
}  // namespace pcl_attention::test
