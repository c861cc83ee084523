// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/attention_estimation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "clouds.h"
#include "pcl_attention/error.h"
#include "support/compare.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

using Cloud = pcl::PointCloud<pcl::PointXYZ>;
using Estimation = AttentionEstimation<pcl::PointXYZ, Signature>;

const float nan = std::numeric_limits<float>::quiet_NaN();

pcl::IndicesPtr indices_of(pcl::Indices values) {
  return pcl::IndicesPtr(new pcl::Indices(std::move(values)));
}

Signatures full_run(const Cloud::ConstPtr& cloud, const ModelPtr& model) {
  Estimation estimation;
  estimation.setModel(model);
  estimation.setInputCloud(cloud);
  Signatures signatures;
  estimation.compute(signatures);
  EXPECT_EQ(estimation.getLastError(), "");
  return signatures;
}

class AttentionEstimationTest : public ::testing::TestWithParam<const char*> {
 protected:
  ModelPtr model = make_preset(GetParam(), 3);
};

TEST_P(AttentionEstimationTest, IndicesGiveTheRowsOfTheFullRunInTheirOrder) {
  const auto cloud = random_points(1000, 1);
  const Signatures full = full_run(cloud, model);
  const pcl::Indices wanted{5, 900, 3, 900};
  Estimation estimation;
  estimation.setModel(model);
  estimation.setInputCloud(cloud);
  estimation.setIndices(indices_of(wanted));
  Signatures some;
  estimation.compute(some);
  ASSERT_EQ(some.size(), wanted.size());
  EXPECT_EQ(some.width, wanted.size());
  EXPECT_EQ(some.height, 1U);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(same_bits(row_of(some, i), row_of(full, static_cast<std::size_t>(wanted[i])))) << i;
  EXPECT_FALSE(same_bits(row_of(some, 0), row_of(some, 1)));
}

TEST_P(AttentionEstimationTest, QueriesOverASurfaceOfAnotherSize) {
  const auto surface = random_points(1000, 1);
  const Signatures full = full_run(surface, model);
  const auto input = random_points(17, 2);
  const std::vector<std::size_t> copied{5, 900, 3};
  for (std::size_t i = 0; i < copied.size(); ++i) (*input)[i] = (*surface)[copied[i]];
  Estimation estimation;
  estimation.setModel(model);
  estimation.setInputCloud(input);
  estimation.setSearchSurface(surface);
  Signatures rows;
  estimation.compute(rows);
  ASSERT_EQ(rows.size(), input->size());
  for (std::size_t i = 0; i < copied.size(); ++i)
    EXPECT_TRUE(same_bits(row_of(rows, i), row_of(full, copied[i]))) << i;
  estimation.setIndices(indices_of({2, 0}));
  estimation.compute(rows);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(same_bits(row_of(rows, 0), row_of(full, 3)));
  EXPECT_TRUE(same_bits(row_of(rows, 1), row_of(full, 5)));
}

TEST_P(AttentionEstimationTest, InvalidPointsGiveNanRowsAndChangeNoOther) {
  const auto cloud = random_points(301, 4);
  const Signatures clean = full_run(cloud, model);
  Cloud::Ptr with_holes(new Cloud(*cloud));
  with_holes->insert(with_holes->begin() + 7, pcl::PointXYZ(0.1F, 0.2F, nan));
  with_holes->push_back(pcl::PointXYZ(std::numeric_limits<float>::infinity(), 0.0F, 0.0F));
  with_holes->is_dense = true;  // a lie that must not matter
  const Signatures rows = full_run(with_holes, model);
  ASSERT_EQ(rows.size(), 303U);
  EXPECT_FALSE(rows.is_dense);
  for (const float value : row_of(rows, 7)) EXPECT_TRUE(std::isnan(value));
  for (const float value : row_of(rows, 302)) EXPECT_TRUE(std::isnan(value));
  for (std::size_t i = 0; i < 301; ++i)
    EXPECT_TRUE(same_bits(row_of(rows, i < 7 ? i : i + 1), row_of(clean, i))) << i;
}

INSTANTIATE_TEST_SUITE_P(Presets, AttentionEstimationTest,
                         ::testing::Values("linformer", "position", "full"));

TEST(AttentionEstimation, DenseOutputOfACloudThatClaimsNotToBe) {
  const auto cloud = random_points(50, 4);
  cloud->is_dense = false;
  EXPECT_TRUE(full_run(cloud, make_preset("position")).is_dense);
}

TEST(AttentionEstimation, HeaderSizesAndPoseComeFromTheInput) {
  const auto cloud = random_points(60, 5);
  cloud->width = 12;
  cloud->height = 5;
  cloud->header.stamp = 1234567890123U;
  cloud->header.seq = 42;
  cloud->header.frame_id = "lidar_top";
  cloud->sensor_origin_ = Eigen::Vector4f(1.0F, 2.0F, 3.0F, 0.0F);
  const Signatures rows = full_run(cloud, make_preset("position"));
  EXPECT_EQ(rows.width, 12U);
  EXPECT_EQ(rows.height, 5U);
  EXPECT_EQ(rows.header.stamp, cloud->header.stamp);
  EXPECT_EQ(rows.header.seq, 42U);
  EXPECT_EQ(rows.header.frame_id, "lidar_top");
  EXPECT_EQ(rows.sensor_origin_, cloud->sensor_origin_);
}

TEST(AttentionEstimation, EmptyInputGivesEmptyOutputWithoutAnError) {
  Estimation estimation;
  estimation.setModel("preset:linformer");
  estimation.setInputCloud(Cloud::Ptr(new Cloud));
  Signatures rows;
  rows.resize(3);
  estimation.compute(rows);
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(estimation.getLastError(), "");
}

TEST(AttentionEstimation, OnePointGivesOneRow) {
  EXPECT_EQ(full_run(random_points(1, 1), make_preset("linformer")).size(), 1U);
}

TEST(AttentionEstimation, InputIsNotWrittenTo) {
  const auto cloud = random_points(200, 6);
  const Cloud copy = *cloud;
  full_run(cloud, make_preset("linformer"));
  EXPECT_EQ(std::memcmp(cloud->data(), copy.data(), copy.size() * sizeof(pcl::PointXYZ)), 0);
}

// --- failures: a reason, an empty output, and a good next call -----------------------------------

void expect_failure(Estimation& estimation, const std::string& reason) {
  Signatures rows;
  rows.resize(3);
  EXPECT_NO_THROW(estimation.compute(rows));
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(rows.width * rows.height, 0U);
  EXPECT_TRUE(contains(estimation.getLastError(), reason));
  EXPECT_EQ(estimation.getResult().num_rows, 0U);
}

void expect_success(Estimation& estimation, const Cloud::ConstPtr& cloud) {
  estimation.setInputCloud(cloud);
  Signatures rows;
  estimation.compute(rows);
  EXPECT_EQ(rows.size(), cloud->size());
  EXPECT_EQ(estimation.getLastError(), "");
  EXPECT_EQ(estimation.getResult().num_rows, cloud->size());
}

TEST(AttentionEstimation, NullInputThenAGoodCall) {
  Estimation estimation;
  estimation.setModel("preset:position");
  expect_failure(estimation, "setInputCloud");
  expect_success(estimation, random_points(20, 1));
}

TEST(AttentionEstimation, NoModelThenAGoodCall) {
  Estimation estimation;
  estimation.setInputCloud(random_points(20, 1));
  expect_failure(estimation, "setModel");
  estimation.setModel("preset:position");
  expect_success(estimation, random_points(30, 1));
}

TEST(AttentionEstimation, IndexOutOfRangeThenAGoodCall) {
  Estimation estimation;
  estimation.setModel("preset:position");
  estimation.setInputCloud(random_points(20, 1));
  estimation.setIndices(indices_of({3, 20}));
  expect_failure(estimation, "20");
  estimation.setIndices(indices_of({-1}));
  expect_failure(estimation, "-1");
  Signatures rows;
  estimation.setIndices(indices_of({3, 19}));
  estimation.compute(rows);
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_EQ(estimation.getLastError(), "");
}

TEST(AttentionEstimation, MissingFieldListsThoseFound) {
  ModelConfig config = make_preset("position")->config();
  config.input.fields.push_back({"intensity", 1, 1.0});
  Estimation estimation;
  estimation.setModel(make_random_model(config));
  estimation.setInputCloud(random_points(20, 1));
  expect_failure(estimation, "intensity");
  EXPECT_TRUE(contains(estimation.getLastError(), "x"));
  estimation.setFieldName("intensity", "z");
  expect_success(estimation, random_points(20, 1));
}

TEST(AttentionEstimation, StoredProjectionForAnotherNumberOfPoints) {
  ModelConfig config = make_preset("linformer")->config();
  config.projection.length_policy = LengthPolicy::strict;
  Estimation estimation;
  estimation.setModel(make_random_model(config));
  estimation.setInputCloud(random_points(20, 1));
  expect_failure(estimation, "4096");
  estimation.setLengthPolicy(LengthPolicy::resample);
  expect_success(estimation, random_points(20, 1));
}

TEST(AttentionEstimation, PointOutOfAnotherWidth) {
  AttentionEstimation<pcl::PointXYZ, pcl::FPFHSignature33> estimation;
  estimation.setModel("preset:position");
  estimation.setInputCloud(random_points(20, 1));
  pcl::PointCloud<pcl::FPFHSignature33> rows;
  estimation.compute(rows);
  EXPECT_TRUE(rows.empty());
  EXPECT_TRUE(contains(estimation.getLastError(), "33"));
  EXPECT_TRUE(contains(estimation.getLastError(), "64"));
  ModelConfig config = make_preset("position")->config();
  config.head_output = 33;
  estimation.setModel(make_random_model(config));
  estimation.compute(rows);
  EXPECT_EQ(rows.size(), 20U);
  EXPECT_EQ(estimation.getLastError(), "");
}

TEST(AttentionEstimation, OutputFieldOfATypeWithSeveralArrays) {
  using Shot = pcl::SHOT352;  // descriptor[352], rf[9]
  AttentionEstimation<pcl::PointXYZ, Shot> estimation;
  ModelConfig config = make_preset("position")->config();
  config.head_output = 9;
  estimation.setModel(make_random_model(config));
  estimation.setInputCloud(random_points(20, 1));
  pcl::PointCloud<Shot> rows;
  estimation.compute(rows);
  EXPECT_TRUE(contains(estimation.getLastError(), "setOutputField"));
  EXPECT_TRUE(
      contains(message_of<std::invalid_argument>([&] { estimation.setOutputField("spin"); }), "rf[9]"));
  estimation.setOutputField("rf");
  estimation.compute(rows);
  ASSERT_EQ(rows.size(), 20U);
  EXPECT_NE(rows[0].rf[8], 0.0F);
  EXPECT_EQ(rows[0].descriptor[0], 0.0F);
}

TEST(AttentionEstimation, SettersRefuseAndKeepWhatWasThere) {
  Estimation estimation;
  estimation.setModel("preset:position");
  const ModelPtr model = estimation.getModel();
  EXPECT_THROW(estimation.setModel(ModelPtr()), std::invalid_argument);
  EXPECT_THROW(estimation.setModel("preset:nothing"), std::invalid_argument);
  EXPECT_THROW(estimation.setModel("missing.safetensors"), FileError);
  EXPECT_THROW(estimation.setGrid({{0.0, 0.0, 0.0}, 0.0}), std::invalid_argument);
  EXPECT_EQ(estimation.getModel(), model);
  EXPECT_FALSE(estimation.getGrid().has_value());
  expect_success(estimation, random_points(20, 1));
}

TEST(AttentionEstimation, ZeroReturnsCountAsInvalidOnRequest) {
  const auto cloud = random_points(40, 1);
  (*cloud)[3] = pcl::PointXYZ(0.0F, 0.0F, 0.0F);
  Estimation estimation;
  estimation.setModel("preset:position");
  estimation.setInputCloud(cloud);
  Signatures rows;
  estimation.compute(rows);
  EXPECT_TRUE(rows.is_dense);
  estimation.setZeroReturnsInvalid(true);
  estimation.compute(rows);
  EXPECT_FALSE(rows.is_dense);
  EXPECT_TRUE(std::isnan(rows[3].descriptor[0]));
  EXPECT_EQ(estimation.getResult().num_valid, 39U);
}

TEST(AttentionEstimation, OrderingDecidesWhetherTheSequenceOfPointsMatters) {
  const auto cloud = random_points(500, 8);
  Cloud::Ptr reversed(new Cloud(*cloud));
  std::reverse(reversed->begin(), reversed->end());
  for (const Curve curve : {Curve::none, Curve::morton}) {
    Estimation estimation;
    estimation.setModel("preset:linformer");
    estimation.setOrdering(curve);
    Signatures a, b;
    estimation.setInputCloud(cloud);
    estimation.compute(a);
    estimation.setInputCloud(reversed);
    estimation.compute(b);
    EXPECT_EQ(same_bits(row_of(a, 0), row_of(b, 499)), curve == Curve::morton);
  }
}

}  // namespace
}  // namespace pcl_attention::test
