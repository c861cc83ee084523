// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ordering/brute_force.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention::test {
namespace {

using Bits = std::array<int, 3>;

OrderDiagnostics diagnostics_of(const FloatCloud& cloud, const std::optional<FixedGrid>& grid = {}) {
  const OrderedCloud rows(cloud);
  return canonical_order(rows.input, Curve::morton, grid).diagnostics;
}

TEST(Diagnostics, NoPoints) {
  const OrderDiagnostics none = diagnostics_of({{"x", "y", "z"}, {}});
  EXPECT_EQ(none.ties, 0U);
  EXPECT_EQ(none.longest_tie_run, 0U);
  EXPECT_EQ(none.bits_per_axis, (Bits{0, 0, 0}));
  EXPECT_EQ(none.cell, 0.0);
}

TEST(Diagnostics, OnePoint) {
  const OrderDiagnostics one = diagnostics_of({{"x", "y", "z"}, {4, 5, 6}});
  EXPECT_EQ(one.ties, 0U);
  EXPECT_EQ(one.longest_tie_run, 1U);
  EXPECT_EQ(one.bits_per_axis, (Bits{0, 0, 0}));
  EXPECT_EQ(one.cell, 0.0);
}

TEST(Diagnostics, AllPointsAgree) {
  for (const std::size_t n : {2, 4096, 4097, 10001}) {
    const OrderDiagnostics equal = diagnostics_of({{"x", "y", "z"}, std::vector<float>(3 * n, 2.5F)});
    EXPECT_EQ(equal.ties, n - 1);
    EXPECT_EQ(equal.longest_tie_run, n);
    EXPECT_EQ(equal.bits_per_axis, (Bits{0, 0, 0}));
    EXPECT_EQ(equal.cell, 0.0);
  }
}

TEST(Diagnostics, TiesArePointsLessCells) {
  // Cells of 1: three points in the first, one in the next, two in the last.
  const FloatCloud cloud{{"x", "y", "z"},
                         {0.1F, 0, 0, 0.2F, 0, 0, 0.9F, 0, 0, 1.5F, 0, 0, 7.5F, 0, 0, 7.0F, 0, 0}};
  const OrderDiagnostics found = diagnostics_of(cloud, FixedGrid{{0, 0, 0}, 1.0});
  EXPECT_EQ(found.ties, 3U);
  EXPECT_EQ(found.longest_tie_run, 3U);
  EXPECT_EQ(found.cell, 1.0);
  EXPECT_EQ(diagnostics_of(cloud).ties, 0U);
}

TEST(Diagnostics, BitsAndCellOfTheBox) {
  const FloatCloud cloud{{"x", "y", "z"}, {0, 0, 0, 8, 1, 0}};
  const OrderDiagnostics found = diagnostics_of(cloud);
  EXPECT_EQ(found.cell, 8.0 / 2097152.0);
  EXPECT_EQ(found.bits_per_axis, (Bits{21, 19, 0}));
}

TEST(Diagnostics, BitsOfSignedCells) {
  const FloatCloud cloud{{"x", "y", "z"}, {-3.5F, 0, 0.5F, 2, 1, 0.5F}};
  EXPECT_EQ(diagnostics_of(cloud, FixedGrid{{0, 0, 0}, 1.0}).bits_per_axis, (Bits{3, 1, 0}));
}

TEST(Diagnostics, OutlierShowsAsOneLongRun) {
  FloatCloud cloud = random_cloud(50000, 6);
  cloud.row(777)[1] = 1e30F;
  const OrderDiagnostics found = diagnostics_of(cloud);
  EXPECT_EQ(found.ties, 49998U);
  EXPECT_EQ(found.longest_tie_run, 49999U);
  EXPECT_EQ(found.bits_per_axis, (Bits{0, 21, 0}));
}

}  // namespace
}  // namespace pcl_attention::test
