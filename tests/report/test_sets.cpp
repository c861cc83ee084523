// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "pcl_attention/equivariance.h"
#include "pcl_attention/report_document.h"
#include "pcl_attention/sensitivity.h"
#include "report/row_error.h"
#include "report/trial.h"
#include "support/clouds.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

float x_of(const CloudView& cloud, std::size_t i) {
  float x;
  std::memcpy(&x, cloud.point(i), sizeof x);
  return x;
}

// Keeps the points with positive x, in reverse.
std::vector<std::int32_t> positive(const CloudView& cloud) {
  std::vector<std::int32_t> kept;
  for (std::size_t i = cloud.num_points(); i-- > 0;)
    if (x_of(cloud, i) > 0.0F) kept.push_back(static_cast<std::int32_t>(i));
  return kept;
}

std::vector<std::int32_t> first_half(const CloudView& cloud) {
  std::vector<std::int32_t> kept;
  for (std::size_t i = 0; i < cloud.num_points() / 2; ++i) kept.push_back(static_cast<std::int32_t>(i));
  return kept;
}

// Rows (x, 1) of the points with positive x.
std::size_t positive_rows(const CloudView& cloud, std::vector<double>& rows) {
  rows.clear();
  for (const std::int32_t i : positive(cloud)) {
    rows.push_back(static_cast<double>(x_of(cloud, static_cast<std::size_t>(i))));
    rows.push_back(1.0);
  }
  return 2;
}

std::size_t half_of_the_rows(const CloudView& cloud, std::vector<double>& rows) {
  rows.clear();
  for (std::size_t i = 0; i < cloud.num_points() / 2; ++i)
    rows.push_back(static_cast<double>(x_of(cloud, i)));
  return 1;
}

std::size_t largest_x(const CloudView& cloud, std::vector<double>& rows) {
  rows.assign(1, -2.0);
  for (std::size_t i = 0; i < cloud.num_points(); ++i)
    rows[0] = std::max(rows[0], static_cast<double>(x_of(cloud, i)));
  return 1;
}

std::size_t first_x(const CloudView& cloud, std::vector<double>& rows) {
  rows.assign(1, static_cast<double>(x_of(cloud, 0)));
  return 1;
}

TEST(KeptSet, LevelsAndJaccard) {
  const FloatCloud cloud = random_cloud(301, 5);
  const EquivarianceReport good = evaluate_kept_set(cloud.view(), positive);
  EXPECT_EQ(good.level, EquivarianceLevel::bitwise);
  EXPECT_EQ(good.permutation.min_jaccard, 1.0);
  EXPECT_EQ(good.valid_points, positive(cloud.view()).size());

  EquivarianceOptions options;
  options.num_permutations = 1;  // reversed: the halves have nothing in common
  const EquivarianceReport bad = evaluate_kept_set(random_cloud(300, 5).view(), first_half, options);
  EXPECT_EQ(bad.level, EquivarianceLevel::none);
  EXPECT_EQ(bad.permutation.min_jaccard, 0.0);
  EXPECT_EQ(bad.permutation.max_relative_l2, 1.0);
  for (const double error : bad.point_error) EXPECT_EQ(error, 1.0);
}

TEST(KeptSet, PointsOutOfRangeOrKeptTwiceAreErrors) {
  const FloatCloud cloud = random_cloud(5, 5);
  for (const std::vector<std::int32_t>& kept : {std::vector<std::int32_t>{5}, {-1}, {2, 2}})
    EXPECT_THROW(evaluate_kept_set(cloud.view(), [&](const CloudView&) { return kept; }),
                 std::invalid_argument);
}

TEST(KeptSet, JaccardIsItsDefinition) {
  std::vector<double> error(4, 0.0);
  EXPECT_EQ(compare_kept({1, 1, 0, 0}, {1, 0, 1, 0}, {0, 1, 2, 3}, error), 1.0 / 3.0);
  EXPECT_EQ(error, (std::vector<double>{0.0, 1.0, 1.0, 0.0}));
  EXPECT_EQ(compare_kept({1, 0, 0, 0}, {0, 0, 0, 1}, {3, 2, 1, 0}, error), 1.0);
  EXPECT_EQ(compare_kept({0, 0}, {0, 0}, {0, 1}, error), 1.0);
}

TEST(UnorderedSet, SequenceDoesNotMatterButRowsDo) {
  const FloatCloud cloud = random_cloud(301, 5);
  EXPECT_EQ(evaluate_unordered_set(cloud.view(), positive_rows).level, EquivarianceLevel::bitwise);
  const EquivarianceReport bad = evaluate_unordered_set(cloud.view(), half_of_the_rows);
  EXPECT_EQ(bad.level, EquivarianceLevel::none);
  EXPECT_GT(bad.permutation.max_relative_l2, 1e-4);
}

TEST(UnorderedSet, DistanceIsItsDefinition) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Rows a{{0.0, 3.0}, 1}, b{{3.0, 1.0, 1.0}, 1};
  const RowError error = compare_sets(a, b);  // 0→1, 1→0, 1→0
  EXPECT_DOUBLE_EQ(error.relative_l2, std::sqrt(3.0 / 22.0));
  EXPECT_EQ(error.max_abs, 1.0);
  EXPECT_FALSE(error.bitwise_equal);
  EXPECT_TRUE(compare_sets({{1.0, 2.0}, 1}, {{2.0, 1.0}, 1}).bitwise_equal);
  EXPECT_TRUE(compare_sets({{nan, 2.0}, 1}, {{2.0, nan}, 1}).bitwise_equal);
  EXPECT_EQ(compare_sets({{nan, 2.0}, 1}, {{2.0, 2.0}, 1}).nan_mismatches, 1U);
  EXPECT_FALSE(compare_sets({{}, 1}, {{2.0}, 1}).relative_l2 < 1e300);
  EXPECT_TRUE(compare_sets({{}, 1}, {{}, 1}).bitwise_equal);
}

TEST(GlobalRow, OneRowForTheCloud) {
  const FloatCloud cloud = random_cloud(301, 5);
  EXPECT_EQ(evaluate_global_row(cloud.view(), largest_x).level, EquivarianceLevel::bitwise);
  EXPECT_EQ(evaluate_global_row(cloud.view(), first_x).level, EquivarianceLevel::none);
  EXPECT_THROW(evaluate_global_row(cloud.view(), half_of_the_rows), std::invalid_argument);
}

const ChangeError& line_of(const SensitivityReport& report, const std::string& name) {
  for (const ChangeError& change : report.changes)
    if (change.name == name) return change;
  throw std::out_of_range(name);
}

TEST(SetsUnderEveryGroup, AgreeWithTheReportsOnPermutations) {
  const FloatCloud cloud = random_cloud(300, 5);
  EquivarianceOptions plain;
  plain.num_permutations = 7;
  SensitivityOptions options;
  options.num_permutations = 7;
  options.groups = {ChangeGroup::permutation};
  const EquivarianceReport kept = measure_kept_set(cloud.view(), first_half, options).equivariance;
  const EquivarianceReport kept_plain = evaluate_kept_set(cloud.view(), first_half, plain);
  EXPECT_EQ(kept.point_error, kept_plain.point_error);
  EXPECT_EQ(kept.valid_points, 150U);
  EXPECT_NEAR(kept.permutation.mean_jaccard, kept_plain.permutation.mean_jaccard, 1e-15);
  EXPECT_EQ(kept.permutation.max_relative_l2, kept_plain.permutation.max_relative_l2);
  EXPECT_EQ(to_json(measure_unordered_set(cloud.view(), half_of_the_rows, options).equivariance),
            to_json(evaluate_unordered_set(cloud.view(), half_of_the_rows, plain)));
  EXPECT_EQ(to_json(measure_global_row(cloud.view(), first_x, options).equivariance),
            to_json(evaluate_global_row(cloud.view(), first_x, plain)));
}

TEST(SetsUnderEveryGroup, KeptPointsFeelWhatMovesThem) {
  const FloatCloud cloud = random_cloud(300, 5);
  const SensitivityReport report = measure_kept_set(cloud.view(), positive);
  EXPECT_EQ(report.equivariance.level, EquivarianceLevel::bitwise);
  EXPECT_GT(line_of(report, "reflection of x").error.max_relative_l2, 0.9) << "the other side is kept";
  EXPECT_EQ(line_of(report, "reflection of y").error.max_relative_l2, 0.0);
  EXPECT_EQ(line_of(report, "subset of 50 %").error.max_relative_l2, 0.0) << "points left out do not count";
  EXPECT_EQ(line_of(report, "duplicates of 100 %").error.max_relative_l2, 0.0) << "a copy is its point";
  EXPECT_EQ(report.jitter_error.size(), 300U);
  for (const double share : report.jitter_error) EXPECT_TRUE(share >= 0.0 && share <= 1.0);
}

TEST(SetsUnderEveryGroup, AnyCopyKeepsItsPoint) {
  std::vector<double> error(3, 0.0);
  const Rows before{{1.0, 1.0, 0.0}, 1};
  EXPECT_TRUE(make_kept_trial("", {{1.0, 0.0, 0.0, 1.0}, 1}, before, {0, 1, 2, 1}, error).bitwise_equal);
  EXPECT_EQ(make_kept_trial("", {{1.0, 1.0}, 1}, before, {0, 2}, error).relative_l2, 0.5);
  EXPECT_EQ(error, (std::vector<double>{0.0, 0.0, 1.0}));
  std::vector<double> nowhere;
  EXPECT_EQ(make_kept_trial("", {{0.0}, 1}, before, {0}, nowhere).relative_l2, 1.0);
}

TEST(SetsUnderEveryGroup, RowsOfAMovedCloudAreHeldAgainstThoseOfTheCloud) {
  const FloatCloud cloud = random_cloud(300, 5);
  SensitivityOptions options;
  options.groups = {ChangeGroup::reflection, ChangeGroup::subset, ChangeGroup::duplicates};
  const SensitivityReport rows = measure_unordered_set(cloud.view(), positive_rows, options);
  EXPECT_GT(line_of(rows, "reflection of x").error.max_relative_l2, 0.0);
  EXPECT_EQ(line_of(rows, "reflection of y").error.max_relative_l2, 0.0);
  EXPECT_GT(line_of(rows, "subset of 50 %").error.max_relative_l2, 0.0);
  EXPECT_EQ(line_of(rows, "duplicates of 100 %").error.max_relative_l2, 0.0) << "every row has a twin";
  const SensitivityReport one = measure_global_row(cloud.view(), largest_x, options);
  EXPECT_EQ(line_of(one, "duplicates of 10 %").error.max_relative_l2, 0.0);
  EXPECT_TRUE(one.equivariance.point_error.empty() && rows.jitter_error.empty());
  EXPECT_THROW(measure_global_row(cloud.view(), positive_rows), std::invalid_argument);
}

TEST(SetsUnderEveryGroup, HaveAPage) {
  const FloatCloud cloud = random_cloud(60, 5);
  ReportDocument document;
  document.reports = {measure_kept_set(cloud.view(), first_half)};
  EXPECT_TRUE(contains(to_html(document), "kept set"));
  EXPECT_EQ(nlohmann::json::parse(to_json(document))["output"], "kept set");
  document.reports = {measure_unordered_set(cloud.view(), positive_rows)};
  EXPECT_TRUE(contains(to_html(document), "unordered set"));
  EXPECT_TRUE(contains(to_table(document), "unordered set"));
}

TEST(SetReports, NameTheirKind) {
  const FloatCloud cloud = random_cloud(31, 5);
  const EquivarianceReport kept = evaluate_kept_set(cloud.view(), first_half);
  EXPECT_TRUE(contains(to_table(kept), "Jaccard"));
  const auto json = nlohmann::json::parse(to_json(kept));
  EXPECT_EQ(json["output"], "kept set");
  EXPECT_EQ(json["permutation"]["min_jaccard"], kept.permutation.min_jaccard);
  EXPECT_TRUE(contains(to_table(evaluate_global_row(cloud.view(), first_x)), "global row"));
}

}  // namespace
}  // namespace pcl_attention::test
