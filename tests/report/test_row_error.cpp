// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/row_error.h"

namespace pcl_attention::test {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(RowError, FormulasOnASmallCase) {
  // a's row 0 should be b's row 1, and the other way round.
  const Rows a{{3, 4, 1, 0}, 2}, b{{1, 1, 3, 2}, 2};
  std::vector<double> point_error(2, 0.0);
  const RowError error = compare_rows(a, b, {1, 0}, point_error);
  EXPECT_DOUBLE_EQ(error.relative_l2, std::sqrt(5.0 / 15.0));
  EXPECT_DOUBLE_EQ(error.emlp, std::sqrt(5.0) / (std::sqrt(26.0) + std::sqrt(15.0)));
  EXPECT_EQ(error.max_abs, 2.0);
  EXPECT_EQ(error.worst_row, 1U);
  EXPECT_FALSE(error.bitwise_equal);
  EXPECT_EQ(point_error, (std::vector<double>{1.0, 2.0}));
}

TEST(RowError, NanAgreesWithNanOnly) {
  std::vector<double> point_error(2, 0.0);
  EXPECT_TRUE(compare_rows({{nan, 1}, 1}, {{nan, 1}, 1}, {0, 1}, point_error).bitwise_equal);
  const RowError error = compare_rows({{nan, 1}, 1}, {{2, 1}, 1}, {0, 1}, point_error);
  EXPECT_EQ(error.nan_mismatches, 1U);
  EXPECT_TRUE(std::isinf(error.relative_l2) && std::isinf(error.emlp));
  EXPECT_FALSE(error.bitwise_equal);
  EXPECT_TRUE(std::isinf(compare_rows({{2, 1}, 1}, {{nan, 1}, 1}, {0, 1}, point_error).relative_l2));
}

TEST(RowError, AgainstZerosAndSignedZeros) {
  std::vector<double> point_error(1, 0.0);
  EXPECT_TRUE(std::isinf(compare_rows({{1.0}, 1}, {{0.0}, 1}, {0}, point_error).relative_l2));
  const RowError error = compare_rows({{-0.0}, 1}, {{0.0}, 1}, {0}, point_error);
  EXPECT_EQ(error.relative_l2, 0.0);
  EXPECT_FALSE(error.bitwise_equal);
}

TEST(RowError, EveryWidthCountsEveryNumber) {
  for (std::size_t width = 1; width < 20; ++width) {
    Rows a{std::vector<double>(2 * width, 1.0), width}, b = a;
    b.values[width + width - 1] = 3.0;
    std::vector<double> unused;
    const RowError error = compare_rows(a, b, {0, 1}, unused);
    const auto n = static_cast<double>(2 * width);
    EXPECT_DOUBLE_EQ(error.relative_l2, 2.0 / std::sqrt(n + 8.0)) << width;
    EXPECT_EQ(error.worst_row, 1U);
    EXPECT_EQ(error.compared, 2U);
    EXPECT_EQ(error.label_flips, width == 1 ? 0U : 1U) << "the first largest number is the label";
  }
}

TEST(RowError, FloatRowsHaveTheErrorsOfTheirNumbersInDouble) {
  for (const std::size_t width : {1U, 3U, 8U, 64U}) {
    RowsOf<float> a{std::vector<float>(5 * width), width}, b = a;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      a.values[i] = std::sin(static_cast<float>(i));
      b.values[i] = std::sin(static_cast<float>(i) + (i % 7 == 0 ? 0.1F : 0.0F));
    }
    a.values[2 * width] = b.values[2 * width] = std::numeric_limits<float>::quiet_NaN();
    const Rows x{{a.values.begin(), a.values.end()}, width}, y{{b.values.begin(), b.values.end()}, width};
    std::vector<double> in_float(5, 0.0), in_double(5, 0.0);
    const RowError p = compare_rows(a, b, {0, 1, 2, 3, 4}, in_float);
    const RowError q = compare_rows(x, y, {0, 1, 2, 3, 4}, in_double);
    EXPECT_EQ(p.relative_l2, q.relative_l2);
    EXPECT_EQ(p.emlp, q.emlp);
    EXPECT_EQ(p.max_abs, q.max_abs);
    EXPECT_EQ(p.label_flips, q.label_flips);
    EXPECT_EQ(p.compared, q.compared);
    EXPECT_EQ(in_float, in_double);
  }
}

TEST(RowError, InfinityAgreesWithItselfOnly) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> point_error(1, 0.0);
  const RowError same = compare_rows({{infinity, 1}, 2}, {{infinity, 1}, 2}, {0}, point_error);
  EXPECT_TRUE(same.bitwise_equal);
  EXPECT_EQ(same.max_abs, 0.0);
  EXPECT_EQ(same.compared, 1U);
  EXPECT_FALSE(compare_rows({{infinity, 1}, 2}, {{-infinity, 1}, 2}, {0}, point_error).bitwise_equal);
}

}  // namespace
}  // namespace pcl_attention::test
