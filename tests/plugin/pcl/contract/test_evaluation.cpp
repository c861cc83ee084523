// SPDX-License-Identifier: BSD-3-Clause
// The report's class, and every class under the report.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <thread>

#include "contract/classes.h"
#include "contract/table.h"
#include "pcl_attention/pcl/equivariance_evaluation.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

using Evaluation = EquivarianceEvaluation<PlainPoint>;
const std::string column = "EquivarianceEvaluation";
const float nan = std::numeric_limits<float>::quiet_NaN();

Evaluation evaluation_of(const PlainCloud::Ptr& cloud) {
  Evaluation evaluation;
  evaluation.setInputCloud(cloud);
  EquivarianceOptions options;
  options.num_permutations = 5;
  evaluation.setOptions(options);
  return evaluation;
}

// A row per point: its x.
std::size_t own_x(const PlainCloud::ConstPtr& cloud, std::vector<double>& rows) {
  rows.clear();
  for (const PlainPoint& p : *cloud) rows.push_back(static_cast<double>(p.x));
  return 1;
}

std::size_t rank_row(const PlainCloud::ConstPtr& cloud, std::vector<double>& rows) {
  rows.clear();
  for (std::size_t i = 0; i < cloud->size(); ++i) rows.push_back(static_cast<double>(i));
  return 1;
}

EquivarianceLevel level_on(const PlainCloud::Ptr& cloud) {
  const auto object = make<Estimation>();
  return evaluation_of(cloud).evaluate(*object).level;
}

TEST(Evaluation, EveryClassBehindAnOrderIsBitwiseEquivariant) {
  const auto cloud = plain_cloud(150, 1);
  (*cloud)[9] = (*cloud)[8];
  (*cloud)[10].y = nan;
  const Evaluation evaluation = evaluation_of(cloud);
  EXPECT_EQ(evaluation.evaluate(*make<Estimation>()).level, EquivarianceLevel::bitwise);
  const auto global = make<Global>();
  for (const Pooling pooling : {Pooling::mean, Pooling::maximum, Pooling::attention}) {
    global->setPooling(pooling);
    const EquivarianceReport report = evaluation.evaluate(*global, OutputKind::global_row);
    EXPECT_EQ(report.level, EquivarianceLevel::bitwise);
    EXPECT_EQ(report.valid_points, 1U);
  }
  EXPECT_EQ(evaluation.evaluate(*make<Filter>()).level, EquivarianceLevel::bitwise);
  const auto sampling = make<Sampling>();
  EXPECT_EQ(evaluation.evaluate(*sampling, OutputKind::unordered_set).level, EquivarianceLevel::bitwise);
  const auto order = make<Order>();
  EXPECT_EQ(evaluation.evaluate(*order, OutputKind::unordered_set).level, EquivarianceLevel::bitwise);
  EXPECT_EQ(evaluation.evaluateKept(*order).level, EquivarianceLevel::bitwise);
}

TEST(Evaluation, KeptSetOfSamplingIsTheSame) {
  const EquivarianceReport report = evaluation_of(plain_cloud(150, 1)).evaluateKept(*make<Sampling>());
  EXPECT_EQ(report.level, EquivarianceLevel::bitwise);
  EXPECT_EQ(report.permutation.min_jaccard, 1.0);
  EXPECT_EQ(report.valid_points, 75U);
}

TEST(Evaluation, KeptSetOfOutlierRemovalIsTheSame) {
  const auto cloud = plain_cloud(300, 1);
  (*cloud)[9] = (*cloud)[8];
  (*cloud)[10].y = nan;
  AttentionOutlierRemoval<PlainPoint> removal;
  for (const bool sensor : {false, true}) {
    if (sensor) removal.setSensorOrigin({0.0, 0.0, 3.0});
    removal.setInputCloud(cloud);
    pcl::Indices kept;
    removal.filter(kept);
    std::vector<float> p = removal.getProbabilities();
    p.erase(p.begin() + 10);
    std::nth_element(p.begin(), p.begin() + 150, p.end());
    removal.setThreshold(static_cast<double>(p[150]));
    const EquivarianceReport report = evaluation_of(cloud).evaluateKept(removal);
    EXPECT_EQ(report.level, EquivarianceLevel::bitwise);
    EXPECT_GT(report.valid_points, 100U);
    EXPECT_LT(report.valid_points, 151U);
  }
}

TEST(Evaluation, CallablesOfEveryKind) {
  const Evaluation evaluation = evaluation_of(plain_cloud(40, 1));
  EXPECT_EQ(evaluation.evaluate(own_x).level, EquivarianceLevel::bitwise);
  EXPECT_EQ(evaluation.evaluate(rank_row).level, EquivarianceLevel::none);
  EXPECT_EQ(evaluation.evaluate(rank_row, OutputKind::unordered_set).level, EquivarianceLevel::bitwise);
  EXPECT_THROW(evaluation.evaluate(own_x, OutputKind::global_row), std::invalid_argument);
  EXPECT_THROW(evaluation.evaluate(own_x, OutputKind::kept_set), std::invalid_argument);
  const auto first = [](const PlainCloud::ConstPtr&) { return pcl::Indices{0}; };
  EXPECT_EQ(evaluation.evaluateKept(first).permutation.min_jaccard, 0.0);
}

TEST(Evaluation, NumbersThatAreNotFinite) {
  const float values[] = {nan, std::numeric_limits<float>::infinity()};
  const char* const rows[] = {"NaN in one axis, is_dense wrongly true",
                              "±Inf in one axis, is_dense wrongly true"};
  for (std::size_t i = 0; i < 2; ++i) {
    const Row row(rows[i], column);
    const auto cloud = plain_cloud(60, 1);
    (*cloud)[7].y = values[i];
    EXPECT_EQ(level_on(cloud), EquivarianceLevel::bitwise);
  }
}

TEST(Evaluation, SmallClouds) {
  for (const auto& [name, n] :
       {std::pair<const char*, std::size_t>{"empty cloud gives an empty output", 0}, {"one point", 1}}) {
    const Row row(name, column);
    EXPECT_EQ(level_on(plain_cloud(n, 1)), EquivarianceLevel::bitwise);
  }
  const Row row("all points NaN", column);
  const auto cloud = plain_cloud(20, 1);
  for (PlainPoint& p : *cloud) p.x = nan;
  EXPECT_EQ(evaluation_of(cloud).evaluate(*make<Estimation>()).valid_points, 0U);
}

TEST(Evaluation, NoInput) {
  for (const char* name : {"no input", "null input"}) {
    Row row(name, column);
    row.note("✓ throws");
    Evaluation evaluation;
    if (name[1] == 'u') evaluation.setInputCloud(nullptr);
    EXPECT_THROW(evaluation.evaluate(own_x), std::invalid_argument);
    evaluation.setInputCloud(plain_cloud(20, 1));
    EXPECT_EQ(evaluation.evaluate(own_x).level, EquivarianceLevel::bitwise);
  }
}

TEST(Evaluation, SecondAndFailedCalls) {
  const Row second("second call, other cloud", column), failed("call after a failed call", column),
      model("no model is an error", column);
  Evaluation evaluation = evaluation_of(plain_cloud(30, 1));
  AttentionEstimation<PlainPoint, Signature16> without_model;
  EXPECT_THROW(evaluation.evaluate(without_model), std::runtime_error);
  const auto object = make<Estimation>();
  EXPECT_EQ(evaluation.evaluate(*object).points, 30U);
  evaluation.setInputCloud(plain_cloud(50, 2));
  EXPECT_EQ(evaluation.evaluate(*object).points, 50U);
}

TEST(Evaluation, WhatThePermutedCloudsCarry) {
  const Row header("header: stamp, frame, seq", column), pose("sensor origin and orientation", column),
      bytes("untouched fields byte for byte", column), input("input never written to", column);
  const auto cloud = plain_cloud(30, 1);
  cloud->header.frame_id = "lidar_top";
  cloud->sensor_origin_ = Eigen::Vector4f(1.0F, 2.0F, 3.0F, 0.0F);
  const PlainCloud copy = *cloud;
  const auto look = [&](const PlainCloud::ConstPtr& permuted, std::vector<double>& rows) {
    EXPECT_EQ(permuted->header.frame_id, "lidar_top");
    EXPECT_EQ(permuted->sensor_origin_, copy.sensor_origin_);
    return rank_row(permuted, rows);
  };
  evaluation_of(cloud).evaluate(look);
  EXPECT_EQ(std::memcmp(cloud->points.data(), copy.points.data(), copy.size() * sizeof(PlainPoint)), 0);
}

TEST(Evaluation, TwoObjectsInTwoThreads) {
  const Row row("two objects in two threads, one const cloud", column);
  const auto cloud = plain_cloud(60, 1);
  EquivarianceLevel levels[2];
  std::thread one([&] { levels[0] = level_on(cloud); }), two([&] { levels[1] = level_on(cloud); });
  one.join();
  two.join();
  EXPECT_EQ(levels[0], EquivarianceLevel::bitwise);
  EXPECT_EQ(levels[1], EquivarianceLevel::bitwise);
}

TEST(Evaluation, CallablesAreMeasuredUnderEveryGroup) {
  const Evaluation evaluation = evaluation_of(plain_cloud(40, 1));
  SensitivityOptions options;
  options.num_permutations = 5;
  const SensitivityReport rows = evaluation.measure(own_x, options);
  EXPECT_EQ(rows.equivariance.level, EquivarianceLevel::bitwise);
  EXPECT_GT(rows.changes.size(), 10U);
  EXPECT_EQ(evaluation.measure(own_x, options, OutputKind::unordered_set).equivariance.output,
            OutputKind::unordered_set);
  EXPECT_THROW(evaluation.measure(own_x, options, OutputKind::kept_set), std::invalid_argument);
  EXPECT_THROW(evaluation.measure(own_x, options, OutputKind::global_row), std::invalid_argument);
  const auto first_half = [](const PlainCloud::ConstPtr& cloud) {
    pcl::Indices kept(cloud->size() / 2);
    std::iota(kept.begin(), kept.end(), 0);
    return kept;
  };
  EXPECT_EQ(evaluation.measureKept(first_half, options).equivariance.level, EquivarianceLevel::none);
}

}  // namespace
}  // namespace pcl_attention::test
