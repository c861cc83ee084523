// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/cloud_view.h"

#include <gtest/gtest.h>
#include <pcl/conversions.h>

#include <cstring>

#include "clouds.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"
#include "support/compare.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

void add_field(pcl::PCLPointCloud2& cloud, const std::string& name, std::uint8_t type) {
  pcl::PCLPointField field;
  field.name = name;
  field.offset = cloud.point_step;
  field.datatype = type;
  field.count = 1;
  cloud.fields.push_back(field);
  cloud.point_step += static_cast<pcl::uindex_t>(pcl::getFieldSize(type));
}

// The cloud as a message of double x y z, moved by `offset`.
pcl::PCLPointCloud2 double_message(const FloatCloud& points, const std::array<double, 3>& offset) {
  pcl::PCLPointCloud2 cloud;
  for (const char* name : {"x", "y", "z"}) add_field(cloud, name, pcl::PCLPointField::FLOAT64);
  cloud.width = static_cast<pcl::uindex_t>(points.size());
  cloud.height = 1;
  cloud.row_step = cloud.width * cloud.point_step;
  cloud.data.resize(cloud.row_step);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double value = static_cast<double>(points.row(i)[axis]) + offset[axis];
      std::memcpy(cloud.data.data() + i * cloud.point_step + axis * sizeof(double), &value, sizeof(double));
    }
  return cloud;
}

std::vector<double> rows_of(const ModelPtr& model, const CloudView& cloud) {
  Encoder encoder(model);
  EncodeInput input;
  input.surface = cloud;
  std::vector<double> rows(cloud.num_points() * model->config().output_width());
  encoder.encode(input, rows.data());
  return rows;
}

TEST(CloudView, FieldsAreThoseOfThePointType) {
  const CloudView view = view_of(pcl::PointCloud<pcl::PointXYZRGBNormal>());
  EXPECT_EQ(view.point_step, sizeof(pcl::PointXYZRGBNormal));
  const std::size_t curvature = find_field(view, "curvature", {});
  EXPECT_EQ(view.fields[curvature].offset, offsetof(pcl::PointXYZRGBNormal, curvature));
  EXPECT_EQ(view.fields[find_field(view, "rgb", {})].type, FieldType::float32);
  EXPECT_EQ(view.num_points(), 0U);
}

TEST(CloudView, AllElevenTypes) {
  const std::vector<std::pair<std::uint8_t, FieldType>> types{
      {pcl::PCLPointField::BOOL, FieldType::boolean},   {pcl::PCLPointField::INT8, FieldType::int8},
      {pcl::PCLPointField::UINT8, FieldType::uint8},    {pcl::PCLPointField::INT16, FieldType::int16},
      {pcl::PCLPointField::UINT16, FieldType::uint16},  {pcl::PCLPointField::INT32, FieldType::int32},
      {pcl::PCLPointField::UINT32, FieldType::uint32},  {pcl::PCLPointField::INT64, FieldType::int64},
      {pcl::PCLPointField::UINT64, FieldType::uint64},  {pcl::PCLPointField::FLOAT32, FieldType::float32},
      {pcl::PCLPointField::FLOAT64, FieldType::float64}};
  for (const auto& [datatype, type] : types) {
    pcl::PCLPointCloud2 cloud;
    add_field(cloud, "v", datatype);
    EXPECT_EQ(fields_of(cloud.fields)[0].type, type);
    EXPECT_EQ(static_cast<std::uint8_t>(type), datatype);
    EXPECT_EQ(size_of(type), static_cast<std::size_t>(pcl::getFieldSize(datatype)));
  }
}

TEST(CloudView, UnknownTypeIsNamed) {
  pcl::PCLPointCloud2 cloud;
  add_field(cloud, "v", pcl::PCLPointField::UINT8);
  cloud.fields[0].datatype = 99;
  EXPECT_TRUE(contains(message_of<CloudError>([&] { view_of(cloud); }), "'v'"));
}

TEST(CloudView, ACountOfZeroMeansOne) {
  pcl::PCLPointCloud2 cloud = double_message(random_cloud(4, 1), {});
  for (auto& field : cloud.fields) field.count = 0;
  EXPECT_EQ(view_of(cloud).fields[2].count, 1U);
}

TEST(CloudView, SizesThatDisagreeAreErrors) {
  const pcl::PCLPointCloud2 good = double_message(random_cloud(10, 1), {});
  EXPECT_EQ(view_of(good).num_points(), 10U);
  pcl::PCLPointCloud2 bad = good;
  bad.data.pop_back();
  EXPECT_THROW(view_of(bad), CloudError);
  bad = good;
  bad.width = 11;
  EXPECT_THROW(view_of(bad), CloudError);
  bad = good;
  bad.fields[2].offset = 20;
  EXPECT_THROW(view_of(bad), CloudError);
  bad = good;
  bad.row_step = 24;
  EXPECT_THROW(view_of(bad), CloudError);
}

TEST(CloudView, AMessageGivesTheRowsOfItsCloud) {
  const ModelPtr model = make_preset("linformer", 2);
  const auto cloud = random_points(333, 2);
  pcl::PCLPointCloud2 message;
  pcl::toPCLPointCloud2(*cloud, message);
  EXPECT_TRUE(same_bits(rows_of(model, view_of(*cloud)), rows_of(model, view_of(message))));
}

TEST(CloudView, UtmDoublesGiveTheFeaturesOfTheCloudWithoutItsOffset) {
  for (const char* preset : {"linformer", "position", "full"}) {
    const ModelPtr model = make_preset(preset, 2);
    const FloatCloud points = random_cloud(700, 3);
    const pcl::PCLPointCloud2 local = double_message(points, {0.0, 0.0, 0.0});
    const pcl::PCLPointCloud2 utm = double_message(points, {5e5, 5e6, 120.0});
    const std::vector<double> expected = rows_of(model, view_of(local));
    EXPECT_LT(relative_l2(rows_of(model, view_of(utm)), expected), 1e-4) << preset;
    EXPECT_LT(relative_l2(rows_of(model, points.view()), expected), 1e-4) << preset;
  }
}

}  // namespace
}  // namespace pcl_attention::test
