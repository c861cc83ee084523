// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/keys.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "exec/parallel.h"
#include "ordering/morton.h"
#include "pcl_attention/error.h"
#include "simd/curve_keys.h"

namespace pcl_attention {
namespace {

constexpr std::size_t block_size = 4096;
constexpr double cells_per_axis = 2097152.0;  // 2^21
constexpr double half_of_the_cells = 1048576.0;

PositionBox block_box(const OrderInput& input, std::size_t begin, std::size_t end) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float low[3] = {infinity, infinity, infinity}, high[3] = {-infinity, -infinity, -infinity};
  for (std::size_t row = begin; row < end; ++row) {
    if (input.keep != nullptr && input.keep[row] == 0) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float x = input.positions[row * input.position_stride + axis];
      low[axis] = std::min(low[axis], x);
      high[axis] = std::max(high[axis], x);
    }
  }
  PositionBox box;
  std::copy_n(low, 3, box.low.begin());
  std::copy_n(high, 3, box.high.begin());
  return box;
}

std::uint64_t clamped(double cell) {
  return static_cast<std::uint64_t>(std::min(std::max(cell, 0.0), cells_per_axis - 1.0));
}

void add_box(PositionBox& box, const PositionBox& other) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min(box.low[axis], other.low[axis]);
    box.high[axis] = std::max(box.high[axis], other.high[axis]);
  }
}

CellGrid grid_of_box(const PositionBox& box) {
  double longest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) longest = std::max(longest, box.high[axis] - box.low[axis]);
  CellGrid cells;
  cells.low = box.low;
  cells.inverse = longest > 0.0 ? cells_per_axis / longest : 0.0;
  cells.edge = longest / cells_per_axis;
  return cells;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

/// @throws CloudError if the box leaves the cells −2^20 … 2^20 − 1.
void check_cells(const PositionBox& box, const CellGrid& cells) {
  double reach = 0.0;
  bool fits = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = box.low[axis], high = box.high[axis];
    fits = fits && cells.cell(low, axis) >= -half_of_the_cells && cells.cell(high, axis) < half_of_the_cells;
    reach = std::max({reach, cells.low[axis] - low, high - cells.low[axis]});
  }
  if (fits) return;
  // Rounded up by more than the six digits printed leave out, so that the number named does fit.
  const double finest = reach / half_of_the_cells * 1.00001;
  throw CloudError(
      "grid cell " + number(cells.edge) + " is too fine: the cloud reaches " + number(reach) +
      " from the grid's origin along an axis, at most 2^20 cells; the finest cell that fits is " +
      number(finest));
}

}  // namespace

double CellGrid::cell(double x, std::size_t axis) const { return std::floor((x - low[axis]) * inverse); }

PositionBox kept_box(const OrderInput& input) {
  if (input.num_rows == 0) return {};
  const std::size_t num_blocks = (input.num_rows + block_size - 1) / block_size;
  const auto leaf = [&](std::size_t block) {
    return block_box(input, block * block_size, std::min(input.num_rows, (block + 1) * block_size));
  };
  const PositionBox box = tree_reduce(0, num_blocks, leaf, add_box);
  return box.low[0] <= box.high[0] ? box : PositionBox{};
}

CellGrid cell_grid(const PositionBox& box, const std::array<double, 3>& origin,
                   const std::optional<FixedGrid>& grid) {
  if (!grid) return grid_of_box(box);
  CellGrid cells;
  for (std::size_t axis = 0; axis < 3; ++axis) cells.low[axis] = grid->origin[axis] - origin[axis];
  cells.inverse = 1.0 / grid->cell;
  cells.edge = grid->cell;
  cells.first = half_of_the_cells;
  check_cells(box, cells);
  return cells;
}

std::array<int, 3> bits_per_axis(const PositionBox& box, const CellGrid& grid) {
  std::array<int, 3> bits{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = std::abs(grid.cell(box.low[axis], axis)),
                 high = std::abs(grid.cell(box.high[axis], axis));
    const double largest = std::min(std::max(low, high), cells_per_axis - 1.0);
    for (auto index = static_cast<std::uint64_t>(largest); index != 0; index >>= 1) ++bits[axis];
  }
  return bits;
}

std::uint64_t differing_bits(bool masked, const PositionBox& box, const CellGrid& grid, Curve curve) {
  if (masked) return ~std::uint64_t{0};
  std::uint64_t cells[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = grid.cell(box.low[axis], axis) + grid.first,
                 high = grid.cell(box.high[axis], axis) + grid.first;
    cells[axis] = clamped(low) ^ clamped(high);
    for (std::uint64_t lower = 1; lower < cells[axis]; lower = lower << 1 | 1) cells[axis] |= lower;
  }
  // On a Hilbert curve every axis acts on all of a triple and on those below it.
  if (curve == Curve::hilbert) std::fill_n(cells, 3, cells[0] | cells[1] | cells[2]);
  return morton_key(cells[0], cells[1], cells[2]);
}

void curve_keys(const OrderInput& input, const CellGrid& grid, Curve curve, KeyedRow* rows) {
  const simd::Cells cells{{grid.low[0], grid.low[1], grid.low[2]}, grid.inverse, grid.first};
  const std::size_t stride = input.position_stride;
  const auto write_keys = curve == Curve::hilbert ? simd::hilbert_keys : simd::morton_keys;
  for_each_block(input.num_rows, block_size, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end; first += simd::kKeyPoints) {
      const std::size_t count = std::min(simd::kKeyPoints, end - first);
      std::uint64_t keys[simd::kKeyPoints];
      write_keys(cells, input.positions + first * stride, stride, count, keys);
      for (std::size_t i = 0; i < count; ++i) {
        const bool kept = input.keep == nullptr || input.keep[first + i] != 0;
        rows[first + i] = {keys[i] | (kept ? 0 : not_kept_bit), static_cast<std::uint32_t>(first + i)};
      }
    }
  });
}

}  // namespace pcl_attention
