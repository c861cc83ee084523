// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "pcl_attention/equivariance.h"
#include "support/clouds.h"

namespace pcl_attention::test {
namespace {

float x_of(const CloudView& cloud, std::size_t i) {
  float x;
  std::memcpy(&x, cloud.point(i), sizeof x);
  return x;
}

/// Each point's x, on its own.
std::size_t own_value(const CloudView& cloud, std::vector<double>& rows) {
  rows.clear();
  for (std::size_t i = 0; i < cloud.num_points(); ++i) rows.push_back(static_cast<double>(x_of(cloud, i)));
  return 1;
}

/// The same plus a little of the point before it.
std::size_t with_neighbour(const CloudView& cloud, std::vector<double>& rows) {
  own_value(cloud, rows);
  for (std::size_t i = rows.size(); i > 1; --i) rows[i - 1] += 0.25 * rows[i - 2];
  return 1;
}

/// The same plus a float sum over all points, in their sequence.
std::size_t with_float_sum(const CloudView& cloud, std::vector<double>& rows) {
  own_value(cloud, rows);
  float sum = 0.0F;
  for (double value : rows) sum += static_cast<float>(value) + 1.0F;
  for (double& value : rows) value += static_cast<double>(sum);
  return 1;
}

TEST(Equivariance, LevelsOfThreeKnownOperators) {
  const FloatCloud cloud = random_cloud(3001, 5);
  EXPECT_EQ(evaluate_equivariance(cloud.view(), own_value).level, EquivarianceLevel::bitwise);
  EXPECT_EQ(evaluate_equivariance(random_cloud(300, 5).view(), with_float_sum).level,
            EquivarianceLevel::rounding);
  const EquivarianceReport report = evaluate_equivariance(cloud.view(), with_neighbour);
  EXPECT_EQ(report.level, EquivarianceLevel::none);
  EXPECT_GT(report.permutation.max_relative_l2, 0.1);
  EXPECT_GE(report.permutation.max_relative_l2, report.permutation.p95_relative_l2);
  EXPECT_GE(report.permutation.p95_relative_l2, report.permutation.mean_relative_l2 / 2);
}

TEST(Equivariance, DoublePrecisionHasAStricterRoundingLevel) {
  const FloatCloud cloud = random_cloud(3001, 5);
  EquivarianceOptions options;
  options.is_double = true;
  EXPECT_EQ(evaluate_equivariance(cloud.view(), with_float_sum, options).level, EquivarianceLevel::none);
}

TEST(Equivariance, OneWrongCallInManyIsCaught) {
  const FloatCloud cloud = random_cloud(500, 5);
  std::size_t calls = 0;
  const auto wrong_once = [&](const CloudView& view, std::vector<double>& rows) {
    own_value(view, rows);
    if (++calls == 190) rows[17] += 1e-3;
    return std::size_t{1};
  };
  EquivarianceOptions options;
  options.num_permutations = 200;
  const EquivarianceReport report = evaluate_equivariance(cloud.view(), wrong_once, options);
  EXPECT_EQ(report.level, EquivarianceLevel::none);
  EXPECT_NEAR(report.permutation.max_abs, 1e-3, 1e-12);
  EXPECT_EQ(report.permutation.worst_permutation, "random 185");
  const double error = report.point_error[report.permutation.worst_point];
  for (double other : report.point_error) EXPECT_LE(other, error);
}

TEST(Equivariance, NanOnOneSideIsNeverEquivariant) {
  const auto breaks = [calls = 0](const CloudView& view, std::vector<double>& rows) mutable {
    own_value(view, rows);
    if (calls++ == 1) rows[0] = std::numeric_limits<double>::quiet_NaN();
    return std::size_t{1};
  };
  const EquivarianceReport report = evaluate_equivariance(random_cloud(10, 5).view(), breaks);
  EXPECT_EQ(report.level, EquivarianceLevel::none);
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_TRUE(json["permutation"]["max_relative_l2"].is_null());
  EXPECT_EQ(json["permutation"]["nan_mismatches"], 1);
}

TEST(Equivariance, SelectionsAndRowStepsAreFollowed) {
  FloatCloud cloud = random_cloud(12, 5);
  CloudView view = cloud.view();
  view.width = 3;
  view.height = 3;
  view.row_step = 4 * view.point_step;  // one point of padding behind each row
  const std::vector<std::int32_t> rows{8, 0, 4};
  view.rows = rows.data();
  view.num_rows = rows.size();
  std::vector<double> seen;
  own_value(view, seen);
  EXPECT_EQ(seen,
            (std::vector<double>{static_cast<double>(cloud.row(10)[0]), static_cast<double>(cloud.row(0)[0]),
                                 static_cast<double>(cloud.row(5)[0])}));
  const EquivarianceReport report = evaluate_equivariance(view, own_value);
  EXPECT_EQ(report.points, 3U);
  EXPECT_EQ(report.level, EquivarianceLevel::bitwise);
}

TEST(Equivariance, WrongOperatorsAndOptionsAreRefused) {
  const FloatCloud cloud = random_cloud(5, 5);
  const auto too_few = [](const CloudView&, std::vector<double>& rows) {
    rows.assign(4, 0.0);
    return std::size_t{1};
  };
  EXPECT_THROW(evaluate_equivariance(cloud.view(), too_few), std::invalid_argument);
  EquivarianceOptions none;
  none.num_permutations = 0;
  EXPECT_THROW(evaluate_equivariance(cloud.view(), own_value, none), std::invalid_argument);
}

TEST(Equivariance, JsonAndTableSayTheSame) {
  Encoder encoder(make_preset("linformer-segment"));
  EquivarianceOptions options;
  options.num_permutations = 5;
  const EquivarianceReport report = evaluate_equivariance(random_cloud(300, 5).view(), encoder, options);
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["points"], 300);
  EXPECT_EQ(json["valid_points"], 300);
  EXPECT_EQ(json["level"], 3);
  EXPECT_EQ(json["ordering"], "morton");
  EXPECT_EQ(json["engine"], encoder.engine());
  EXPECT_EQ(json["permutation"]["count"], 5);
  EXPECT_EQ(json["permutation"]["bitwise_equal"], true);
  EXPECT_EQ(json["permutation"]["max_relative_l2"], 0.0);
  EXPECT_EQ(json["model"], "preset:linformer-segment");
  EXPECT_NE(to_table(report).find("level 3"), std::string::npos);
}

TEST(Equivariance, EmptyCloud) {
  const EquivarianceReport report = evaluate_equivariance(FloatCloud{{"x"}, {}}.view(), own_value);
  EXPECT_EQ(report.points, 0U);
  EXPECT_EQ(report.level, EquivarianceLevel::bitwise);
}

}  // namespace
}  // namespace pcl_attention::test
