// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "ordering/hilbert.h"
#include "ordering/keys.h"
#include "ordering/morton.h"
#include "simd/curve_keys.h"
#include "simd/targets.h"

namespace pcl_attention::test {
namespace {

HilbertCell cell_of(const CellGrid& grid, const float* position) {
  HilbertCell cell{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double index = grid.cell(static_cast<double>(position[axis]), axis) + grid.first;
    cell[axis] = static_cast<std::uint64_t>(std::min(std::max(index, 0.0), 2097151.0));
  }
  return cell;
}

void expect_keys(const CellGrid& grid, float size, std::size_t stride, std::size_t count) {
  const RandomTile numbers(stride * count / simd::kTilePoints + 1, 1, size);
  const simd::Cells cells{{grid.low[0], grid.low[1], grid.low[2]}, grid.inverse, grid.first};
  std::vector<std::uint64_t> keys(count + 1, 77), expected(count + 1, 77);
  simd::morton_keys(cells, numbers.data(), stride, count, keys.data());
  for (std::size_t i = 0; i < count; ++i) {
    const HilbertCell cell = cell_of(grid, numbers.data() + i * stride);
    expected[i] = morton_key(cell[0], cell[1], cell[2]);
  }
  EXPECT_EQ(keys, expected) << size << ' ' << stride << ' ' << count;
  simd::hilbert_keys(cells, numbers.data(), stride, count, keys.data());
  for (std::size_t i = 0; i < count; ++i)
    expected[i] = hilbert_key(cell_of(grid, numbers.data() + i * stride));
  EXPECT_EQ(keys, expected) << size << ' ' << stride << ' ' << count;
}

TEST(CurveKeys, AreThoseOfOneByOne) {
  CellGrid box, fixed;
  box.low = {-1.0, -0.3, 1e-45};
  box.inverse = 2097152.0 / 2.0;
  fixed.low = {0.1, 3.0, -1e-3};
  fixed.inverse = 1.0 / 0.01;
  fixed.first = 1048576.0;
  on_every_target([&] {
    for (const CellGrid& grid : {box, fixed, CellGrid{}})
      for (const float size : {1.0F, 1e-41F, 100.0F, 1e38F})
        for (const std::size_t stride : {3U, 4U, 7U})
          for (const std::size_t count : {0U, 1U, 3U, 8U, 511U, 512U}) expect_keys(grid, size, stride, count);
  });
}

}  // namespace
}  // namespace pcl_attention::test
