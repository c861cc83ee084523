// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "ordering/brute_force.h"
#include "ordering/keys.h"
#include "pcl_attention/error.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

std::string fault(const FloatCloud& cloud, const FixedGrid& grid, const std::array<double, 3>& origin = {}) {
  OrderedCloud rows(cloud);
  rows.input.origin = origin;
  return message_of<CloudError>([&] { canonical_order(rows.input, Curve::morton, grid); });
}

/// Returns the number that stands last in the message.
double last_number(const std::string& message) { return std::stod(message.substr(message.rfind(' '))); }

TEST(FixedGrid, TooFineNamesTheFinestThatFits) {
  const FloatCloud right{{"x", "y", "z"}, {0, 0, 0, 200000, 5, 5}};
  const FloatCloud left{{"x", "y", "z"}, {0, 0, 0, 3, 5, -200000}};
  const FloatCloud both{{"x", "y", "z"}, {-123456.7F, 0, 0, 3, 77777.7F, 0}};
  for (const FloatCloud* cloud : {&right, &left, &both}) {
    FixedGrid grid{{0, 0, 0}, 0.001};
    const std::string message = fault(*cloud, grid);
    EXPECT_TRUE(contains(message, "grid cell 0.001 is too fine"));
    grid.cell = last_number(message);
    EXPECT_EQ(fault(*cloud, grid), "");
    grid.cell *= 0.9999;
    EXPECT_NE(fault(*cloud, grid), "");
  }
  EXPECT_TRUE(contains(fault(right, {{0, 0, 0}, 0.001}), "the finest cell that fits is 0.190737"));
}

TEST(FixedGrid, ReachesFromMinusToPlusTwoToTheTwenty) {
  const auto cloud = [](float x) { return FloatCloud{{"x", "y", "z"}, {x, 0, 0}}; };
  const FixedGrid grid{{0, 0, 0}, 1.0};
  EXPECT_EQ(fault(cloud(-1048576.0F), grid), "");
  EXPECT_NE(fault(cloud(-1048576.125F), grid), "");
  EXPECT_EQ(fault(cloud(1048575.875F), grid), "");
  EXPECT_NE(fault(cloud(1048576.0F), grid), "");
}

TEST(FixedGrid, CellsOnBothSidesOfZero) {
  const FloatCloud cloud{{"x", "y", "z"}, {-0.005F, 0, 0, 0, 0, 0, 0.0099F, 0, 0, -0.0101F, 0, 0}};
  const OrderedCloud rows(cloud);
  const std::vector<KeyedRow> keyed =
      keys_of(rows.input, cell_grid(kept_box(rows.input), {}, FixedGrid{{0, 0, 0}, 0.01}));
  const std::uint64_t zero = 1U << 20;
  EXPECT_EQ(keyed[0].key(), key_by_bits({zero - 1, zero, zero}));
  EXPECT_EQ(keyed[1].key(), key_by_bits({zero, zero, zero}));
  EXPECT_EQ(keyed[2].key(), key_by_bits({zero, zero, zero}));
  EXPECT_EQ(keyed[3].key(), key_by_bits({zero - 2, zero, zero}));
}

/// What was removed from the positions is put back: the cells are those of the cloud's own frame.
TEST(FixedGrid, TakesTheOriginIntoAccount) {
  const FixedGrid grid{{100, 200, 300}, 0.25};
  const FloatCloud cloud = random_cloud(3000, 8);
  FloatCloud moved = cloud;
  const std::array<double, 3> origin{99.5, 200.25, 300.125};
  for (std::size_t i = 0; i < moved.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      moved.row(i)[axis] = static_cast<float>(cloud.row(i)[axis] + (grid.origin[axis] - origin[axis]));
  OrderedCloud at_grid(cloud), at_origin(moved);
  at_grid.input.origin = grid.origin;
  at_origin.input.origin = origin;
  for (const Curve curve : {Curve::morton, Curve::hilbert})
    EXPECT_EQ(canonical_order(at_origin.input, curve, grid).row_of_rank,
              order_by_sorting(at_origin.input, grid, curve));
  const auto keys = [&](const OrderInput& input) {
    std::vector<std::uint64_t> result;
    for (const KeyedRow& row : keys_of(input, cell_grid(kept_box(input), input.origin, grid)))
      result.push_back(row.key());
    return result;
  };
  EXPECT_EQ(keys(at_grid.input), keys(at_origin.input));
}

TEST(FixedGrid, CellsStayWherePointsComeAndGo) {
  const FixedGrid grid{{0, 0, 0}, 0.1};
  const FloatCloud cloud = random_cloud(500, 9);
  FloatCloud more = cloud;
  more.values.insert(more.values.end(), {50.0F, 60.0F, 70.0F});
  for (const Curve curve : {Curve::morton, Curve::hilbert}) {
    std::vector<std::uint32_t> after = canonical_order(OrderedCloud(more).input, curve, grid).row_of_rank;
    after.erase(std::find(after.begin(), after.end(), 500U));
    EXPECT_EQ(after, order_by_sorting(OrderedCloud(cloud).input, grid, curve));
  }
}

TEST(FixedGrid, CellIsAPositiveNumber) {
  const FloatCloud cloud{{"x", "y", "z"}, {0, 0, 0}};
  const OrderedCloud rows(cloud);
  for (const double cell : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(), 1e-310}) {
    const FixedGrid grid{{0, 0, 0}, cell};
    EXPECT_THROW(canonical_order(rows.input, Curve::morton, grid), std::invalid_argument) << cell;
  }
  const FixedGrid grid{{0, std::numeric_limits<double>::quiet_NaN(), 0}, 1.0};
  EXPECT_THROW(canonical_order(rows.input, Curve::morton, grid), std::invalid_argument);
}

TEST(FixedGrid, NoPoints) { EXPECT_EQ(fault({{"x", "y", "z"}, {}}, {{0, 0, 0}, 1e-6}), ""); }

}  // namespace
}  // namespace pcl_attention::test
