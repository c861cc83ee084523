// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ordering/brute_force.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

/// 3000 points; every third is not kept, some of these far outside of the box.
class MaskedRows : public ::testing::Test {
 protected:
  MaskedRows() {
    for (std::size_t i = 0; i < cloud.size(); i += 3) keep[i] = 0;
    for (std::size_t i = 0; i < cloud.size(); i += 12)
      cloud.row(i)[i % 4 == 0 ? 0 : 2] *= i % 24 == 0 ? 1e20F : -1e20F;
  }

  Order order_of(const FloatCloud& rows, const std::vector<std::uint8_t>& mask,
                 Curve curve = Curve::morton) const {
    OrderedCloud ordered(rows);
    ordered.input.keep = mask.data();
    return canonical_order(ordered.input, curve);
  }

  FloatCloud kept_only() const {
    FloatCloud kept{cloud.names, {}};
    for (std::size_t i = 0; i < cloud.size(); ++i)
      if (keep[i]) kept.values.insert(kept.values.end(), cloud.row(i), cloud.row(i) + 4);
    return kept;
  }

  FloatCloud cloud = random_cloud(3000, 12, {"x", "y", "z", "intensity"});
  std::vector<std::uint8_t> keep = std::vector<std::uint8_t>(3000, 7);
};

TEST_F(MaskedRows, ComeLast) {
  const Order order = order_of(cloud, keep);
  for (std::size_t rank = 0; rank < 3000; ++rank) EXPECT_EQ(keep[order.row_of_rank[rank]] != 0, rank < 2000);
}

TEST_F(MaskedRows, LeaveTheOthersAlone) {
  const FloatCloud kept = kept_only();
  for (const Curve curve : {Curve::morton, Curve::hilbert}) {
    const Order masked = order_of(cloud, keep, curve),
                alone = order_of(kept, std::vector<std::uint8_t>(2000, 1), curve);
    FloatCloud first = permuted(cloud, masked.row_of_rank);
    first.values.resize(2000 * 4);
    EXPECT_TRUE(same_bits(first.values, permuted(kept, alone.row_of_rank).values));
    EXPECT_EQ(masked.diagnostics.ties, alone.diagnostics.ties);
    EXPECT_EQ(masked.diagnostics.longest_tie_run, alone.diagnostics.longest_tie_run);
    EXPECT_EQ(masked.diagnostics.bits_per_axis, alone.diagnostics.bits_per_axis);
    EXPECT_EQ(masked.diagnostics.cell, alone.diagnostics.cell);
  }
}

TEST_F(MaskedRows, AreInATotalOrderToo) {
  const std::vector<std::uint32_t> source = random_permutation(3000, 13);
  std::vector<std::uint8_t> shuffled_keep;
  for (const std::uint32_t row : source) shuffled_keep.push_back(keep[row]);
  const FloatCloud shuffled = permuted(cloud, source);
  for (const Curve curve : {Curve::morton, Curve::hilbert})
    EXPECT_TRUE(same_bits(permuted(shuffled, order_of(shuffled, shuffled_keep, curve).row_of_rank).values,
                          permuted(cloud, order_of(cloud, keep, curve).row_of_rank).values));
}

TEST_F(MaskedRows, AllOfThem) {
  const Order order = order_of(cloud, std::vector<std::uint8_t>(3000, 0));
  EXPECT_EQ(order.row_of_rank.size(), 3000U);
  EXPECT_EQ(order.diagnostics.ties, 0U);
  EXPECT_EQ(order.diagnostics.longest_tie_run, 0U);
  EXPECT_EQ(order.diagnostics.cell, 0.0);
}

TEST_F(MaskedRows, MayLeaveAFixedGrid) {
  OrderedCloud ordered(cloud);
  ordered.input.keep = keep.data();
  EXPECT_NO_THROW(canonical_order(ordered.input, Curve::morton, FixedGrid{{0, 0, 0}, 0.001}));
}

}  // namespace
}  // namespace pcl_attention::test
