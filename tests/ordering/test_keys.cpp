// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "ordering/brute_force.h"
#include "ordering/morton.h"

namespace pcl_attention::test {
namespace {

constexpr std::uint64_t last_cell = (1U << 21) - 1;

TEST(MortonKey, XIsHighestOfEachTriple) {
  EXPECT_EQ(morton_key(1, 0, 0), 4U);
  EXPECT_EQ(morton_key(0, 1, 0), 2U);
  EXPECT_EQ(morton_key(0, 0, 1), 1U);
  EXPECT_EQ(morton_key(2, 0, 1), 33U);
}

TEST(MortonKey, FillsSixtyThreeBits) {
  EXPECT_EQ(morton_key(0, 0, 0), 0U);
  EXPECT_EQ(morton_key(last_cell, last_cell, last_cell), (std::uint64_t{1} << 63) - 1);
}

TEST(MortonKey, EachBitAlone) {
  for (std::uint64_t bit = 0; bit < 21; ++bit) EXPECT_EQ(spread_bits(1ULL << bit), 1ULL << 3 * bit);
}

TEST(MortonKey, AgreesWithABitLoop) {
  std::mt19937 generator(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t x = generator() & last_cell, y = generator() & last_cell, z = generator() & last_cell;
    ASSERT_EQ(morton_key(x, y, z), key_by_bits({x, y, z}));
  }
}

TEST(Keys, BoxMaximumIsInTheLastCell) {
  const FloatCloud cloud{{"x", "y", "z"}, {-1, 2, 3, 7, 6, 5, 0, 2, 3}};
  const OrderedCloud rows(cloud);
  const PositionBox box = kept_box(rows.input);
  EXPECT_EQ(box.low, (std::array<double, 3>{-1, 2, 3}));
  EXPECT_EQ(box.high, (std::array<double, 3>{7, 6, 5}));
  const std::vector<KeyedRow> keyed = keys_of(rows.input, cell_grid(box, {}, {}));
  const std::uint64_t half = 1U << 20;
  EXPECT_EQ(keyed[0].key(), 0U);
  EXPECT_EQ(keyed[1].key(), key_by_bits({last_cell, half, half / 2}));
  EXPECT_EQ(keyed[2].key(), key_by_bits({half / 4, 0, 0}));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(keyed[i].row, i);
}

TEST(Keys, RowsNotKeptAreClamped) {
  const FloatCloud cloud{{"x", "y", "z"}, {0, 0, 0, 1, 1, 1, -0.5F, 9, 0.5F}};
  OrderedCloud rows(cloud);
  const std::uint8_t keep[] = {1, 1, 0};
  rows.input.keep = keep;
  const std::vector<KeyedRow> keyed = keys_of(rows.input, cell_grid(kept_box(rows.input), {}, {}));
  EXPECT_EQ(keyed[1].key(), key_by_bits({last_cell, last_cell, last_cell}));
  EXPECT_EQ(keyed[2].key(), key_by_bits({0, last_cell, 1U << 20}) | not_kept_bit);
}

TEST(Keys, CellsAreFloored) {
  const CellGrid cells = cell_grid({}, {}, FixedGrid{{1, 1, 1}, 2.0});
  EXPECT_EQ(cells.cell(1.0, 0), 0.0);
  EXPECT_EQ(cells.cell(0.0, 0), -1.0);
  EXPECT_EQ(cells.cell(-1.0, 0), -1.0);
  EXPECT_EQ(cells.cell(-1.5, 0), -2.0);
  EXPECT_EQ(cells.cell(2.999, 0), 0.0);
  EXPECT_EQ(cells.cell(3.0, 0), 1.0);
}

TEST(Keys, NegativeZeroHasTheKeyOfZero) {
  const FloatCloud cloud{{"x", "y", "z"}, {0.0F, -0.0F, 0.0F, -0.0F, 0.0F, -0.0F, -1, -1, -1, 1, 1, 1}};
  const OrderedCloud rows(cloud);
  for (const std::optional<FixedGrid>& grid :
       {std::optional<FixedGrid>{}, std::optional<FixedGrid>{FixedGrid{}}}) {
    const std::vector<KeyedRow> keyed = keys_of(rows.input, cell_grid(kept_box(rows.input), {}, grid));
    EXPECT_EQ(keyed[0].key(), keyed[1].key());
  }
}

TEST(Keys, DifferInNoOtherBitsThanStated) {
  for (const std::optional<FixedGrid>& grid :
       {std::optional<FixedGrid>{}, std::optional<FixedGrid>{FixedGrid{{0, 0, 0}, 0.01}},
        std::optional<FixedGrid>{FixedGrid{{-2, -2, 5}, 0.5}}}) {
    const FloatCloud cloud = random_cloud(500, 3);
    OrderedCloud rows(cloud);
    std::vector<std::uint8_t> keep(500, 1);
    keep[7] = 0;
    for (const bool masked : {false, true}) {
      rows.input.keep = masked ? keep.data() : nullptr;
      const PositionBox box = kept_box(rows.input);
      const CellGrid cells = cell_grid(box, {}, grid);
      for (const Curve curve : {Curve::morton, Curve::hilbert}) {
        const std::vector<KeyedRow> keyed = keys_of(rows.input, cells, curve);
        const std::uint64_t differing = differing_bits(rows.input.keep != nullptr, box, cells, curve);
        for (const KeyedRow& row : keyed) EXPECT_EQ((row.key() ^ keyed[0].key()) & ~differing, 0U);
      }
    }
  }
}

TEST(Keys, TinyAndHugeBoxes) {
  for (const float size : {1e-45F, 1e-30F, 1e30F, 3e38F}) {
    const FloatCloud cloud{{"x", "y", "z"}, {-size, 0, 0, size, 0, 0}};
    const OrderedCloud rows(cloud);
    const std::vector<KeyedRow> keyed = keys_of(rows.input, cell_grid(kept_box(rows.input), {}, {}));
    EXPECT_EQ(keyed[0].key(), 0U);
    EXPECT_EQ(keyed[1].key(), key_by_bits({last_cell, 0, 0}));
  }
}

}  // namespace
}  // namespace pcl_attention::test
