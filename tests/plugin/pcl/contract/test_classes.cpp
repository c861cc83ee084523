// SPDX-License-Identifier: BSD-3-Clause
// What single classes promise beyond the table, and PCL's own point types.
#include <gtest/gtest.h>
#include <pcl/point_types.h>

#include <cmath>
#include <limits>

#include "contract/classes.h"
#include "support/compare.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

const float nan = std::numeric_limits<float>::quiet_NaN();

// --- one row for a cloud -------------------------------------------------------------------------

std::vector<double> global_row(const PlainCloud::Ptr& cloud, Pooling pooling) {
  const auto object = make<Global>();
  object->setPooling(pooling);
  const Run found = run_on<Global>(*object, cloud);
  EXPECT_EQ(found.error, "");
  return found.size() == 1 ? found.points[0] : std::vector<double>();
}

TEST(GlobalEstimation, PoolsTheRowsOfTheEstimation) {
  const auto cloud = plain_cloud(500, 1);
  (*cloud)[3].y = nan;
  const auto rows = run<Estimation>(cloud);
  std::vector<double> mean(kWidth, 0.0), largest(kWidth, -1e300);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; i != 3 && c < mean.size(); ++c) {
      mean[c] += rows.points[i][c] / 499.0;
      largest[c] = std::max(largest[c], rows.points[i][c]);
    }
  EXPECT_LT(relative_l2(global_row(cloud, Pooling::mean), mean), 1e-6);
  EXPECT_EQ(global_row(cloud, Pooling::maximum), largest);
  const std::vector<double> weighted = global_row(cloud, Pooling::attention);
  EXPECT_GT(relative_l2(weighted, mean), 1e-6);
  EXPECT_LT(relative_l2(weighted, mean), 1.0);
}

TEST(GlobalEstimation, AttentionPoolingTakesNoSurface) {
  const auto object = make<Global>();
  object->setPooling(Pooling::attention);
  object->setSearchSurface(plain_cloud(50, 1));
  EXPECT_TRUE(contains(run_on<Global>(*object, plain_cloud(20, 2)).error, "search surface"));
}

TEST(GlobalEstimation, PointOutOfAnotherWidthIsNamed) {
  AttentionGlobalEstimation<PlainPoint, AttentionSignature<8>> estimation;
  estimation.setModel(small_model());
  estimation.setInputCloud(plain_cloud(20, 1));
  pcl::PointCloud<AttentionSignature<8>> output;
  estimation.compute(output);
  EXPECT_TRUE(output.empty());
  EXPECT_TRUE(contains(estimation.getLastError(), "8 numbers"));
  EXPECT_TRUE(contains(estimation.getLastError(), "16"));
}

// --- fields rewritten and added ------------------------------------------------------------------

TEST(FilterFields, HoldTheFirstNumbersOfTheRows) {
  const auto cloud = plain_cloud(80, 1);
  const auto rows = run<Estimation>(cloud);
  AttentionFilter<PlainPoint> filter;
  filter.setModel(small_model());
  filter.setOutputFields({"weight", "intensity"});
  filter.setInputCloud(cloud);
  PlainCloud output;
  filter.filter(output);
  ASSERT_EQ(output.size(), 80U);
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_EQ(static_cast<double>(output[i].weight), rows.points[i][0]);
    EXPECT_EQ(static_cast<double>(output[i].intensity), rows.points[i][1]);
  }
}

TEST(FilterFields, AreAddedToMessages) {
  const auto cloud = plain_cloud(60, 1);
  cloud->width = 12;
  cloud->height = 5;
  const auto rows = run<Estimation>(cloud);
  for (const bool big_endian : {false, true}) {
    Layout layout;
    layout.height = 5;
    layout.gap = 3;
    layout.row_gap = 7;
    layout.big_endian = big_endian;
    const auto message = message_of_cloud(*cloud, layout);
    const auto filter = make<MessageFilter>();
    filter->setAddedFields({"a", "b"});
    filter->setInputCloud(message);
    pcl::PCLPointCloud2 output;
    filter->filter(output);
    ASSERT_EQ(filter->getLastError(), "");
    EXPECT_EQ(output.width, 12U);
    EXPECT_EQ(output.height, 5U);
    EXPECT_EQ(output.point_step, message->point_step + 8);
    const CloudView from = view_of(*message), to = view_of(output);
    const Field& a = to.fields[find_field(to, "a", {})];
    const Field& b = to.fields[find_field(to, "b", {})];
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_EQ(std::memcmp(from.point(i), to.point(i), 16), 0);  // x y z intensity
      EXPECT_EQ(get_number(to.point(i) + a.offset, a.type, big_endian), rows.points[i][1]);
      EXPECT_EQ(get_number(to.point(i) + b.offset, b.type, big_endian), rows.points[i][2]);
    }
  }
}

TEST(FilterFields, WrongOnesAreNamed) {
  const auto error_of = [](const std::vector<std::string>& fields, const std::vector<std::string>& added) {
    const auto filter = make<MessageFilter>();
    filter->setOutputFields(fields);
    filter->setAddedFields(added);
    return run_on<MessageFilter>(*filter, message_of_cloud(*plain_cloud(20, 1))).error;
  };
  EXPECT_TRUE(contains(error_of({}, {}), "setOutputFields"));
  EXPECT_TRUE(contains(error_of({"ring"}, {}), "'ring'"));
  EXPECT_TRUE(contains(error_of({"curvature"}, {}), "curvature"));
  EXPECT_TRUE(contains(error_of({"weight"}, {"ring"}), "already"));
  EXPECT_TRUE(contains(error_of({"weight", "weight"}, {}), "'weight' is named twice"));
  std::vector<std::string> many;
  for (int i = 0; i < 17; ++i) many.push_back("a" + std::to_string(i));
  EXPECT_TRUE(contains(error_of({}, many), "17 numbers, rows have 16"));
}

TEST(FilterFields, AreNotAddedInPlace) {
  const auto message = message_of_cloud(*plain_cloud(20, 1));
  const auto filter = make<MessageFilter>();
  filter->setAddedFields({"a"});
  filter->setInputCloud(message);
  filter->filter(*message);
  EXPECT_TRUE(contains(filter->getLastError(), "in place"));
}

// --- points kept ---------------------------------------------------------------------------------

TEST(SamplingRules, CountFractionThreshold) {
  const auto cloud = plain_cloud(101, 1);
  const auto sampling = make<Sampling>();
  const auto kept = [&] { return run_on<Sampling>(*sampling, cloud).size(); };
  EXPECT_EQ(kept(), 51U);  // half, rounded up
  sampling->setCount(7);
  EXPECT_EQ(kept(), 7U);
  sampling->setCount(1000);
  EXPECT_EQ(kept(), 101U);
  sampling->setFraction(0.1);
  EXPECT_EQ(kept(), 11U);
  sampling->setThreshold(0.0);
  EXPECT_EQ(kept(), 101U);
  sampling->setThreshold(1.0);
  EXPECT_GT(kept(), 5U);
  EXPECT_LT(kept(), 96U);
  EXPECT_THROW(sampling->setFraction(1.5), std::invalid_argument);
  EXPECT_THROW(sampling->setThreshold(-1.0), std::invalid_argument);
  EXPECT_EQ(sampling->getSelection().threshold, 1.0);
}

// --- PCL's own point types -----------------------------------------------------------------------

template <class PointT>
class PclTypes : public ::testing::Test {};
using Types = ::testing::Types<pcl::PointXYZ, pcl::PointXYZRGB, pcl::PointXYZRGBNormal>;
TYPED_TEST_SUITE(PclTypes, Types);

template <class PointT>
typename pcl::PointCloud<PointT>::Ptr cloud_of(const PlainCloud& plain) {
  typename pcl::PointCloud<PointT>::Ptr cloud(new pcl::PointCloud<PointT>);
  for (const PlainPoint& p : plain) {
    PointT q;
    q.x = p.x;
    q.y = p.y;
    q.z = p.z;
    if constexpr (pcl::traits::has_color_v<PointT>) q.r = q.g = q.b = 255;  // with alpha 255: a float NaN
    cloud->push_back(q);
  }
  return cloud;
}

TYPED_TEST(PclTypes, EveryClass) {
  ModelConfig config = small_model()->config();
  config.input.fields.resize(3);
  const ModelPtr model = make_random_model(config, 7);
  const auto cloud = cloud_of<TypeParam>(*plain_cloud(64, 1));

  AttentionEstimation<TypeParam, Signature16> estimation;
  estimation.setModel(model);
  estimation.setInputCloud(cloud);
  pcl::PointCloud<Signature16> rows;
  estimation.compute(rows);
  EXPECT_EQ(rows.size(), 64U);
  EXPECT_TRUE(rows.is_dense);

  AttentionFilter<TypeParam> filter;
  filter.setModel(model);
  filter.setOutputFields({"x", "y", "z"});
  filter.setInputCloud(cloud);
  AttentionSampling<TypeParam> sampling;
  sampling.setModel(model);
  sampling.setInputCloud(cloud);
  CanonicalOrder<TypeParam> order;
  order.setInputCloud(cloud);
  pcl::PointCloud<TypeParam> output;
  filter.filter(output);
  EXPECT_EQ(output.size(), 64U);
  EXPECT_TRUE(output.is_dense);
  EXPECT_EQ(output[5].x, rows[5].descriptor[0]);
  sampling.filter(output);
  EXPECT_EQ(output.size(), 32U);
  EXPECT_TRUE(output.is_dense);
  order.filter(output);
  EXPECT_EQ(output.size(), 64U);
  EXPECT_TRUE(output.is_dense);
}

}  // namespace
}  // namespace pcl_attention::test
