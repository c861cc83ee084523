// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "pcl_attention/error.h"
#include "pcl_attention/outlier_model.h"
#include "pcl_attention/sensitivity.h"
#include "support/clouds.h"

namespace pcl_attention::test {
namespace {

/// Each point's own coordinates.
std::size_t coordinates(const CloudView& cloud, std::vector<double>& rows) {
  rows.clear();
  for (std::size_t i = 0; i < cloud.num_points(); ++i) {
    float xyz[3];
    std::memcpy(xyz, cloud.point(i), sizeof xyz);
    for (const float value : xyz) rows.push_back(static_cast<double>(value));
  }
  return 3;
}

SensitivityOptions only(ChangeGroup group) {
  SensitivityOptions options;
  options.groups = {group};
  return options;
}

TEST(Sensitivity, EveryGroupIsMeasured) {
  const SensitivityReport report = measure_sensitivity(random_cloud(400, 5).view(), coordinates);
  std::size_t trials = 0;
  for (const ChangeError& change : report.changes) {
    trials += change.trials.size();
    EXPECT_EQ(change.error.count, change.trials.size());
    EXPECT_GE(change.error.max_relative_l2, change.error.p95_relative_l2);
  }
  EXPECT_EQ(trials, 16U + 4 * 2 + 2 * 2 + 2 * 2 + 3 + 2 * 2 + 2 * 2);
  EXPECT_EQ(report.equivariance.level, EquivarianceLevel::bitwise);
  EXPECT_EQ(report.equivariance.permutation.count, 16U);
  EXPECT_EQ(report.equivariance.points, 400U);
  EXPECT_EQ(report.equivariance.valid_points, 400U);
  EXPECT_TRUE(report.ranks.empty() && report.layers.empty() && std::isnan(report.rounding_floor));
}

TEST(Sensitivity, JitterOfCoordinatesIsItsSigma) {
  SensitivityOptions options = only(ChangeGroup::jitter);
  options.jitter = {{0.01, false}, {0.001, false}};
  const SensitivityReport report = measure_sensitivity(random_cloud(5001, 5).view(), coordinates, options);
  ASSERT_EQ(report.changes.size(), 2U);
  const double rms = 1.0 / std::sqrt(3.0);  // of a uniform number in [−1, 1]
  for (const ChangeError& change : report.changes)
    EXPECT_NEAR(change.error.max_relative_l2, change.size / rms, 0.05 * change.size / rms);
  EXPECT_EQ(report.changes[1].size, 0.01) << "sizes ascend";
  EXPECT_EQ(report.jitter_error.size(), 5001U);
}

TEST(Sensitivity, SpacingScalesTheJitter) {
  SensitivityOptions options = only(ChangeGroup::jitter);
  options.jitter = {{0.5, true}};
  const SensitivityReport report = measure_sensitivity(random_cloud(300, 5).view(), coordinates, options);
  EXPECT_GT(report.median_spacing, 0.0);
  EXPECT_EQ(report.changes[0].size, 0.5 * report.median_spacing);
}

TEST(Sensitivity, OwnValuesDoNotFeelSubsetsOrDuplicates) {
  SensitivityOptions options;
  options.groups = {ChangeGroup::subset, ChangeGroup::duplicates};
  for (const ChangeError& change :
       measure_sensitivity(random_cloud(300, 5).view(), coordinates, options).changes)
    EXPECT_TRUE(change.error.bitwise_equal) << change.name;
}

TEST(Sensitivity, LabelsFlipWhereTheLargestChannelChanges) {
  SensitivityOptions options = only(ChangeGroup::reflection);
  FloatCloud cloud{{"x", "y", "z"}, {3, 1, 0, -3, 1, 0}};
  const SensitivityReport report = measure_sensitivity(cloud.view(), coordinates, options);
  EXPECT_EQ(report.changes[0].max_label_flips, 1.0) << "x exchanges the points";
  EXPECT_EQ(report.changes[2].max_label_flips, 0.0);
}

TEST(Sensitivity, OneWrongCallInTwoHundredIsCaught) {
  std::size_t calls = 0;
  const auto wrong_once = [&](const CloudView& view, std::vector<double>& rows) {
    coordinates(view, rows);
    if (++calls == 190) rows[3 * 17] += 1e-3;
    return std::size_t{3};
  };
  SensitivityOptions options = only(ChangeGroup::permutation);
  options.num_permutations = 200;
  const EquivarianceReport report =
      measure_sensitivity(random_cloud(500, 5).view(), wrong_once, options).equivariance;
  EXPECT_EQ(report.level, EquivarianceLevel::none);
  EXPECT_NEAR(report.permutation.max_abs, 1e-3, 1e-12);
  EXPECT_EQ(report.permutation.worst_permutation, "random 185");
  EXPECT_GT(report.point_error[report.permutation.worst_point], 0.0);
}

TEST(Sensitivity, AgreesWithTheReportOnPermutations) {
  const FloatCloud cloud = random_cloud(301, 5);
  EncoderOptions as_they_come;
  as_they_come.order = Curve::none;
  Encoder encoder(make_preset("linformer"), as_they_come);
  EquivarianceOptions plain;
  plain.num_permutations = 7;
  SensitivityOptions options = only(ChangeGroup::permutation);
  options.num_permutations = 7;
  const EquivarianceReport a = evaluate_equivariance(cloud.view(), encoder, plain);
  const EquivarianceReport b = measure_sensitivity(cloud.view(), encoder, options).equivariance;
  EXPECT_EQ(to_json(a), to_json(b));
  EXPECT_EQ(a.point_error, b.point_error);
}

TEST(Sensitivity, EncodersHaveLayersRanksAndAFloor) {
  Encoder encoder(make_preset("linformer"));
  SensitivityOptions options;
  options.groups = {ChangeGroup::permutation, ChangeGroup::jitter};
  std::vector<double> done;
  options.progress = [&](double share) { done.push_back(share); };
  const SensitivityReport report = measure_sensitivity(random_cloud(400, 5).view(), encoder, options);
  ASSERT_EQ(report.layers.size(), 2U);
  EXPECT_EQ(report.layers[1].layer, 2U);
  EXPECT_EQ(report.layers[1].max_relative_l2, 0.0);
  if (encoder.is_double()) {
    EXPECT_TRUE(std::isnan(report.rounding_floor));
  } else {
    EXPECT_GT(report.rounding_floor, 0.0);
    EXPECT_LT(report.rounding_floor, 1e-5);
    EXPECT_GT(report.layers[0].rounding_floor, 0.0);
  }
  ASSERT_EQ(report.ranks.size(), 4U);
  EXPECT_LE(report.ranks[0].median, report.ranks[3].median);
  EXPECT_GT(report.ranks[3].max, 0U);
  EXPECT_GT(report.ranks[0].kendall_tau, report.ranks[3].kendall_tau);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 1.0);
}

TEST(Sensitivity, LayersBlameTheFirstThatDependsOnTheOrder) {
  EncoderOptions as_they_come;
  as_they_come.order = Curve::none;
  Encoder encoder(make_preset("linformer"), as_they_come);
  const SensitivityReport report =
      measure_sensitivity(random_cloud(200, 5).view(), encoder, only(ChangeGroup::permutation));
  EXPECT_GT(report.layers[0].max_relative_l2, 1e-3);
  EXPECT_TRUE(report.ranks.empty());
}

TEST(Sensitivity, SamplesAreStated) {
  SensitivityOptions options = only(ChangeGroup::permutation);
  options.max_points = 50;
  const SensitivityReport report = measure_sensitivity(random_cloud(300, 5).view(), coordinates, options);
  EXPECT_EQ(report.cloud_points, 300U);
  EXPECT_EQ(report.equivariance.points, 50U);
  ASSERT_EQ(report.sample.size(), 50U);
  EXPECT_TRUE(std::is_sorted(report.sample.begin(), report.sample.end()));
}

TEST(Sensitivity, ThreadsDoNotMatter) {
  const FloatCloud cloud = random_cloud(5000, 5);
  std::vector<std::vector<double>> errors;
  for (const unsigned threads : {1U, 4U}) {
    EncoderOptions settings;
    settings.num_threads = threads;
    settings.order = Curve::none;
    Encoder encoder(make_preset("linformer"), settings);
    SensitivityOptions options;
    options.groups = {ChangeGroup::permutation, ChangeGroup::jitter};
    options.num_permutations = 3;
    options.floor = options.layers = false;
    const SensitivityReport report = measure_sensitivity(cloud.view(), encoder, options);
    errors.emplace_back();
    for (const ChangeError& change : report.changes)
      errors.back().insert(errors.back().end(),
                           {change.error.max_relative_l2, change.error.max_emlp, change.error.max_abs});
  }
  EXPECT_EQ(errors[0], errors[1]);
}

TEST(Sensitivity, SmallClouds) {
  for (const std::size_t n : {0U, 1U, 2U}) {
    Encoder encoder(make_preset("linformer-segment"));
    const SensitivityReport report = measure_sensitivity(random_cloud(n, 5).view(), encoder);
    EXPECT_EQ(report.equivariance.points, n);
    EXPECT_EQ(report.equivariance.level, EquivarianceLevel::bitwise);
  }
}

TEST(Sensitivity, WrongOptionsAndOperatorsAreRefused) {
  const FloatCloud cloud = random_cloud(9, 5);
  SensitivityOptions options;
  options.num_permutations = 0;
  EXPECT_THROW(measure_sensitivity(cloud.view(), coordinates, options), std::invalid_argument);
  options = {};
  options.repeats = 0;
  EXPECT_THROW(measure_sensitivity(cloud.view(), coordinates, options), std::invalid_argument);
  options = {};
  options.jitter = {{-1.0, false}};
  EXPECT_THROW(measure_sensitivity(cloud.view(), coordinates, options), std::invalid_argument);
  const auto too_few = [](const CloudView&, std::vector<double>& rows) {
    rows.assign(4, 0.0);
    return std::size_t{1};
  };
  EXPECT_THROW(measure_sensitivity(cloud.view(), too_few), std::invalid_argument);
  EXPECT_THROW(measure_sensitivity(random_cloud(9, 5, {"a", "b", "c"}).view(), coordinates), CloudError);
}

TEST(Sensitivity, PermutationsNeedNoCoordinates) {
  const SensitivityReport report = measure_sensitivity(random_cloud(9, 5, {"a", "b", "c"}).view(),
                                                       coordinates, only(ChangeGroup::permutation));
  EXPECT_EQ(report.equivariance.level, EquivarianceLevel::bitwise);
  EXPECT_TRUE(report.positions.empty());
}

TEST(Sensitivity, EveryEncoderOfAReportKnowsWhereTheSensorStood) {
  const FloatCloud cloud = random_cloud(300, 6);
  SensitivityOptions options = only(ChangeGroup::jitter);
  options.jitter = {{0.01, true}};
  double error[2];
  for (const bool moved : {false, true}) {
    EncoderOptions encoding;
    if (moved) encoding.sensor_origin = {4.0, -3.0, 2.0};
    Encoder encoder(shipped_outlier_model(true), encoding);
    const SensitivityReport report = measure_sensitivity(cloud.view(), encoder, options);
    EXPECT_LT(report.rounding_floor, 1e-4);  // the reference engine's
    for (const LayerError& layer : report.layers) EXPECT_LT(layer.rounding_floor, 1e-4);
    error[moved ? 1 : 0] = report.changes[0].error.max_relative_l2;
  }
  EXPECT_NE(error[0], error[1]);
}

}  // namespace
}  // namespace pcl_attention::test
