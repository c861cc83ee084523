// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>

#include "ordering/brute_force.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention::test {
namespace {

using Rows = std::vector<std::uint32_t>;

Rows order_of(const FloatCloud& cloud, const std::optional<FixedGrid>& grid = {},
              Curve curve = Curve::morton) {
  const OrderedCloud rows(cloud);
  return canonical_order(rows.input, curve, grid).row_of_rank;
}

/// Coordinates on a coarse lattice: most points share their position with others.
FloatCloud lattice_cloud(std::size_t n, std::uint32_t seed) {
  FloatCloud cloud = random_cloud(n, seed, {"x", "y", "z", "intensity"});
  for (float& value : cloud.values) value = std::round(value * 4.0F);
  return cloud;
}

TEST(CanonicalOrder, AgreesWithASort) {
  for (const std::size_t n : {0, 1, 2, 3, 1000, 5001}) {
    const FloatCloud spread = random_cloud(n, 1, {"x", "y", "z", "intensity"});
    const FloatCloud lattice = lattice_cloud(n, 2);
    const FixedGrid grid{{0.1, -0.2, 0.3}, 0.37};
    for (const FloatCloud* cloud : {&spread, &lattice})
      for (const Curve curve : {Curve::morton, Curve::hilbert}) {
        const OrderedCloud rows(*cloud);
        EXPECT_EQ(order_of(*cloud, {}, curve), order_by_sorting(rows.input, {}, curve)) << n;
        EXPECT_EQ(order_of(*cloud, grid, curve), order_by_sorting(rows.input, grid, curve)) << n;
      }
  }
}

TEST(CanonicalOrder, WalksTheCurve) {
  const FloatCloud corners{{"x", "y", "z"},
                           {1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
  EXPECT_EQ(order_of(corners), (Rows{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(order_of(corners, {}, Curve::hilbert),
            order_by_sorting(OrderedCloud(corners).input, {}, Curve::hilbert));
}

TEST(CanonicalOrder, CollinearAndFlatPoints) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    FloatCloud line{{"x", "y", "z"}, std::vector<float>(3 * 500, 1.5F)}, plane = random_cloud(500, 4);
    for (std::size_t i = 0; i < 500; ++i) {
      line.row(i)[axis] = static_cast<float>(499 - i);
      plane.row(i)[axis] = -2.0F;
    }
    const Rows order = order_of(line);
    for (std::uint32_t rank = 0; rank < 500; ++rank) EXPECT_EQ(order[rank], 499 - rank);
    for (const Curve curve : {Curve::morton, Curve::hilbert})
      EXPECT_EQ(order_of(plane, {}, curve), order_by_sorting(OrderedCloud(plane).input, {}, curve));
  }
}

TEST(CanonicalOrder, EqualRowsKeepTheirSequence) {
  const FloatCloud cloud{{"x", "y", "z"}, std::vector<float>(3 * 10001, 0.25F)};
  const Rows order = order_of(cloud);
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ASSERT_EQ(order[rank], rank);
}

TEST(CanonicalOrder, AttributesDecideBetweenEqualPositions) {
  const FloatCloud cloud{{"x", "y", "z", "a", "b"},
                         {1, 2, 3, 0, 9, 1, 2, 3, 0, 7, 0, 0, 0, 0, 0, 1, 2, 3, -1, 8}};
  EXPECT_EQ(order_of(cloud), (Rows{2, 3, 1, 0}));
  // Without the attributes the sequence of the input decides: an order that left them out fails above.
  OrderedCloud rows(cloud);
  rows.input.values = nullptr;
  EXPECT_EQ(canonical_order(rows.input, Curve::morton).row_of_rank, (Rows{2, 0, 1, 3}));
}

TEST(CanonicalOrder, PositionsDecideInsideACell) {
  const FloatCloud cloud{{"x", "y", "z"}, {1e30F, 0, 0, 3, 1, 1, 2, 9, 9, 2, 8, 9, 2, 8, -9, -5, 0, 0}};
  EXPECT_EQ(order_of(cloud), (Rows{5, 4, 3, 2, 1, 0}));
}

TEST(CanonicalOrder, NegativeZeroEqualsZero) {
  const FloatCloud cloud{{"x", "y", "z", "a"},
                         {0.0F, 0.0F,  0.0F,  2,    -0.0F, 0.0F, -0.0F, 1,    0.0F, -0.0F,
                          0.0F, -0.0F, -0.0F, 0.0F, 0.0F,  0.0F, 0.0F,  0.0F, 0.0F, 0.5F}};
  EXPECT_EQ(order_of(cloud), (Rows{2, 3, 4, 1, 0}));
}

TEST(CanonicalOrder, NoCurveMovesNothing) {
  const FloatCloud cloud = random_cloud(100, 5);
  OrderedCloud rows(cloud);
  std::vector<std::uint8_t> keep(100, 1);
  keep[3] = keep[50] = 0;
  rows.input.keep = keep.data();
  const Order order = canonical_order(rows.input, Curve::none);
  for (std::uint32_t rank = 0; rank < 100; ++rank) EXPECT_EQ(order.row_of_rank[rank], rank);
  EXPECT_EQ(order.diagnostics.ties, 0U);
  EXPECT_EQ(order.diagnostics.longest_tie_run, 0U);
  EXPECT_EQ(order.diagnostics.cell, 0.0);
}

TEST(CanonicalOrder, TooManyRows) {
  OrderInput input;
  input.num_rows = std::size_t{1} << 32;
  EXPECT_THROW(canonical_order(input, Curve::morton), std::invalid_argument);
}

}  // namespace
}  // namespace pcl_attention::test
