// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ordering/keyed_row.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention {

/// Per-axis minimum and maximum of the positions of rows that are kept; zeros if none is.
struct PositionBox {
  std::array<double, 3> low{};
  std::array<double, 3> high{};
};

/// Cubic cells: index of x on an axis = floor((x − low) · inverse) + first.
struct CellGrid {
  std::array<double, 3> low{};
  double inverse = 0.0;  ///< cells per unit; 0: one cell holds everything
  double edge = 0.0;     ///< of a cell
  double first = 0.0;    ///< added to an index to have it at or above 0: 2^20 for a fixed grid

  /// Returns floor((x − low) · inverse): two rounded operations, then floor.
  double cell(double x, std::size_t axis) const;
};

/// Returns the box. Same bits for any number of threads.
PositionBox kept_box(const OrderInput& input);

/// Returns 2^21 cells along the longest side of the box, or the fixed grid's cells.
/// @throws CloudError if the box leaves the fixed grid's 2^21 cells; the message names the finest cell
///         that fits.
CellGrid cell_grid(const PositionBox& box, const std::array<double, 3>& origin,
                   const std::optional<FixedGrid>& grid);

/// Returns the bits of the largest cell index of the box per axis; of a fixed grid the largest by
/// magnitude.
std::array<int, 3> bits_per_axis(const PositionBox& box, const CellGrid& grid);

/// Returns the bits in which two keys of rows in the box may differ.
/// @param masked  rows that are not kept may lie anywhere
std::uint64_t differing_bits(bool masked, const PositionBox& box, const CellGrid& grid, Curve curve);

/// Bit above the 63 of a key: rows that are not kept sort behind all others.
constexpr std::uint64_t not_kept_bit = std::uint64_t{1} << 63;

/// Writes the key of every row along the curve (not `none`), rows ascending. Indices outside [0, 2^21) are
/// clamped: the box maximum falls into the last cell, rows that are not kept may lie anywhere.
/// @param rows  [input.num_rows]
void curve_keys(const OrderInput& input, const CellGrid& grid, Curve curve, KeyedRow* rows);

}  // namespace pcl_attention
