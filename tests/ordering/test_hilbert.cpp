// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "ordering/brute_force.h"

namespace pcl_attention::test {
namespace {

constexpr std::uint64_t num_keys = std::uint64_t{1} << 63;

/// Returns the library's keys of cells.
std::vector<std::uint64_t> places_of(const std::vector<HilbertCell>& cells) {
  std::vector<float> positions;
  for (const HilbertCell& cell : cells)
    for (const std::uint64_t index : cell) positions.push_back(static_cast<float>(index));
  OrderInput input;
  input.num_rows = cells.size();
  input.positions = positions.data();
  CellGrid grid;
  grid.inverse = grid.edge = 1.0;
  std::vector<std::uint64_t> keys;
  for (const KeyedRow& row : keys_of(input, grid, Curve::hilbert)) keys.push_back(row.key());
  return keys;
}

std::uint64_t steps_between(const HilbertCell& a, const HilbertCell& b) {
  std::uint64_t steps = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    steps += std::max(a[axis], b[axis]) - std::min(a[axis], b[axis]);
  return steps;
}

/// Cubes of 8³ cells whose corner is a multiple of 8: the curve walks through all 512 cells before it leaves.
TEST(Hilbert, WalksThroughACubeFaceByFace) {
  for (const HilbertCell& corner :
       {HilbertCell{0, 0, 0}, HilbertCell{8, 0, 16}, HilbertCell{1048576, 1048568, 2097144}}) {
    std::vector<HilbertCell> cells;
    for (std::uint64_t i = 0; i < 512; ++i)
      cells.push_back({corner[0] + i / 64, corner[1] + i / 8 % 8, corner[2] + i % 8});
    const std::vector<std::uint64_t> keys = places_of(cells);
    const std::uint64_t first = *std::min_element(keys.begin(), keys.end());
    EXPECT_EQ(first % 512, 0U);
    std::vector<HilbertCell> walk(512);
    std::set<std::uint64_t> seen;
    for (std::size_t i = 0; i < 512; ++i) {
      ASSERT_LT(keys[i] - first, 512U);
      walk[keys[i] - first] = cells[i];
      seen.insert(keys[i]);
    }
    EXPECT_EQ(seen.size(), 512U);
    for (std::size_t i = 1; i < 512; ++i) EXPECT_EQ(steps_between(walk[i - 1], walk[i]), 1U) << i;
  }
}

TEST(Hilbert, BeginsAndEndsAtCornersOfTheWholeCube) {
  EXPECT_EQ(places_of({{0, 0, 0}, {2097151, 0, 0}}), (std::vector<std::uint64_t>{0, num_keys - 1}));
}

/// Stretches of the whole curve, some across the largest octants: one face after the other, and the cells'
/// keys are the places that they were found at.
TEST(Hilbert, NeighboursOfTheWholeCurveShareAFace) {
  std::mt19937_64 generator(3);
  std::vector<std::uint64_t> starts{0, num_keys - 300};
  for (int i = 0; i < 200; ++i) starts.push_back(generator() % (num_keys - 300));
  for (std::uint64_t octant = 1; octant < 64; ++octant) starts.push_back((octant << 57) - 150);
  for (const std::uint64_t start : starts) {
    std::vector<HilbertCell> cells;
    std::vector<std::uint64_t> places;
    for (std::uint64_t key = start; key < start + 300; ++key) {
      cells.push_back(hilbert_cell(key));
      places.push_back(key);
    }
    for (std::size_t i = 1; i < cells.size(); ++i)
      ASSERT_EQ(steps_between(cells[i - 1], cells[i]), 1U) << places[i];
    ASSERT_EQ(places_of(cells), places);
  }
}

TEST(Hilbert, AgreesWithTheCurveByItsParts) {
  std::mt19937_64 generator(4);
  std::vector<HilbertCell> cells;
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 5000; ++i) {
    cells.push_back({generator() >> 43, generator() >> 43, generator() >> (43 + i % 20)});
    expected.push_back(hilbert_key(cells.back()));
    EXPECT_EQ(hilbert_cell(expected.back()), cells.back());
  }
  EXPECT_EQ(places_of(cells), expected);
}

}  // namespace
}  // namespace pcl_attention::test
