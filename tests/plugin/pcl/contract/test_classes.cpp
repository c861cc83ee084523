// SPDX-License-Identifier: BSD-3-Clause
// What single classes promise beyond the table, and PCL's own point types.
#include <gtest/gtest.h>
#include <pcl/point_types.h>

#include <cmath>
#include <limits>

#include "contract/classes.h"
#include "pcl_attention/error.h"
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

// --- outliers removed ----------------------------------------------------------------------------

TEST(OutlierRemoval, ProbabilitiesDecideWhatIsKept) {
  const auto cloud = plain_cloud(150, 1);
  (*cloud)[9].y = nan;
  for (const bool some : {false, true}) {
    const auto removal = make<Removal>();
    removal->setInputCloud(cloud);
    pcl::Indices asked;
    for (int i = 0; i < 150; i += some ? 3 : 1) asked.push_back(i);
    if (some) removal->setIndices(indices_of(asked));
    pcl::Indices kept, expected;
    removal->filter(kept);
    const std::vector<float>& p = removal->getProbabilities();
    ASSERT_EQ(p.size(), 150U);
    for (std::size_t i = 0; i < 150; ++i) {
      EXPECT_EQ(std::isnan(p[i]), i == 9 || (some && i % 3 != 0)) << i;
      if (static_cast<double>(p[i]) < removal->getThreshold()) expected.push_back(static_cast<int>(i));
    }
    EXPECT_EQ(kept, expected);
    EXPECT_GT(removal->getResult().num_valid, 40U);
  }
}

TEST(OutlierRemoval, ThresholdIsTheModelsUnlessSet) {
  const auto cloud = plain_cloud(80, 1);
  (*cloud)[9].y = nan;
  AttentionOutlierRemoval<PlainPoint> removal;
  EXPECT_EQ(removal.getThreshold(), outlier_threshold(*shipped_outlier_model(false)));
  removal.setModel(small_model(1));
  EXPECT_EQ(removal.getThreshold(), 0.5);
  removal.setThreshold(0.0);
  EXPECT_EQ(run_on<Removal>(removal, cloud).size(), 0U);
  removal.setThreshold(1.0);
  EXPECT_EQ(run_on<Removal>(removal, cloud).size(), 79U);
  for (const double wrong : {-0.1, 1.1, static_cast<double>(nan)})
    EXPECT_THROW(removal.setThreshold(wrong), std::invalid_argument);
  EXPECT_EQ(removal.getThreshold(), 1.0);
}

TEST(OutlierRemoval, SensorOriginChoosesTheModelUnlessOneIsSet) {
  const auto cloud = plain_cloud(80, 1);
  AttentionOutlierRemoval<PlainPoint> removal;
  EXPECT_EQ(removal.getModel(), shipped_outlier_model(false));
  EXPECT_EQ(run_on<Removal>(removal, cloud).error, "");
  const std::vector<float> without = removal.getProbabilities();
  EXPECT_THROW(removal.setSensorOrigin({0.0, 0.0, static_cast<double>(nan)}), std::invalid_argument);
  EXPECT_FALSE(removal.getSensorOrigin().has_value());
  removal.setSensorOrigin({0.0, 0.0, 2.0});
  EXPECT_EQ(removal.getModel(), shipped_outlier_model(true));
  EXPECT_EQ(run_on<Removal>(removal, cloud).error, "");
  const std::vector<float> here = removal.getProbabilities();
  EXPECT_NE(here, without);
  removal.setSensorOrigin({5.0, 0.0, 2.0});
  EXPECT_EQ(run_on<Removal>(removal, cloud).error, "");
  EXPECT_NE(removal.getProbabilities(), here);
  removal.setModel(shipped_outlier_model(false));
  removal.setSensorOrigin({0.0, 0.0, 2.0});
  EXPECT_EQ(run_on<Removal>(removal, cloud).error, "");
  EXPECT_EQ(removal.getProbabilities(), without);
}

TEST(OutlierRemoval, AModelThatNeedsTheSensorOriginFailsWithout) {
  AttentionOutlierRemoval<PlainPoint> removal;
  EXPECT_EQ(run_on<Removal>(removal, plain_cloud(20, 1)).error, "");
  removal.setModel("shipped:outlier-sensor");
  const auto failed = run_on<Removal>(removal, plain_cloud(20, 1));
  EXPECT_TRUE(contains(failed.error, "setSensorOrigin"));
  EXPECT_EQ(failed.size(), 0U);
  EXPECT_TRUE(removal.getProbabilities().empty());
  removal.setSensorOrigin({0.0, 0.0, 0.0});
  EXPECT_EQ(run_on<Removal>(removal, plain_cloud(20, 1)).error, "");
}

TEST(OutlierRemoval, AFailureInTheEndLeavesNoProbabilities) {
  Layout layout;
  for (std::size_t axis = 0; axis < 3; ++axis) layout.fields[axis].second = FieldType::uint16;
  const auto message = message_of_cloud(*plain_cloud(20, 1), layout);
  const auto removal = make<MessageRemoval>();
  EXPECT_EQ(run_on<MessageRemoval>(*removal, message).error, "");
  EXPECT_EQ(removal->getProbabilities().size(), 20U);
  removal->setKeepOrganized(true);
  EXPECT_TRUE(contains(run_on<MessageRemoval>(*removal, message).error, "'x' cannot be written"));
  EXPECT_TRUE(removal->getProbabilities().empty());
  EXPECT_EQ(removal->getResult().num_valid, 0U);
}

TEST(OutlierRemoval, OtherModelsAreRefusedByTheSetter) {
  AttentionOutlierRemoval<PlainPoint> removal;
  EXPECT_THROW(removal.setModel(small_model()), ModelError);
  EXPECT_THROW(removal.setModel("preset:position"), ModelError);
  EXPECT_THROW(removal.setModel(ModelPtr()), std::invalid_argument);
  EXPECT_EQ(removal.getModel(), shipped_outlier_model(false));
}

TEST(OutlierRemoval, SettersOfTheSiblingsReachTheShippedModel) {
  const auto cloud = plain_cloud(300, 1);
  AttentionOutlierRemoval<PlainPoint> removal, other;
  EXPECT_THROW(other.setOrdering(Curve::none), std::invalid_argument);  // it needs an order
  other.setNumberOfThreads(1);
  EXPECT_TRUE(same_points(run_on<Removal>(other, cloud), run_on<Removal>(removal, cloud)));
  EXPECT_EQ(other.getProbabilities(), removal.getProbabilities());
  other.setDevice(Device::reference);
  run_on<Removal>(other, cloud);
  EXPECT_LT(relative_l2(other.getProbabilities(), removal.getProbabilities()), 1e-4);
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
  AttentionOutlierRemoval<TypeParam> removal;  // with the model that ships
  removal.setThreshold(1.0);
  removal.setInputCloud(cloud);
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
  removal.filter(output);
  EXPECT_EQ(output.size(), 64U);
  EXPECT_TRUE(output.is_dense);
}

}  // namespace
}  // namespace pcl_attention::test
