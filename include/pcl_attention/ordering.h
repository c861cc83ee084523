// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pcl_attention/export.h"

namespace pcl_attention {

/// Space-filling curve of a canonical order. `none` keeps points as they come.
enum class Curve {
  none,
  morton,   ///< jumps between cells that are neighbours along it
  hilbert,  ///< neighbours along it share a face
};

/// Cubic cells on a fixed grid: cell of x = floor((x − origin) / cell), −2^20 ≤ cell < 2^20.
struct FixedGrid {
  std::array<double, 3> origin{};  ///< same frame and unit as the cloud
  double cell = 0.01;              ///< edge in the cloud's unit (metres), > 0
};

/// How well the curve's cells tell the points apart, before ties are resolved.
struct OrderDiagnostics {
  std::size_t ties = 0;                ///< points whose cell an earlier point of the order has, too
  std::size_t longest_tie_run = 0;     ///< most points in one cell; 0 without points
  std::array<int, 3> bits_per_axis{};  ///< bits of the largest cell index per axis
  double cell = 0.0;                   ///< edge of a cell in the cloud's unit; 0 if all points agree
};

/// A permutation of n rows with its diagnostics.
struct Order {
  std::vector<std::uint32_t> row_of_rank;  ///< [n] rank → row
  OrderDiagnostics diagnostics;
};

/// n rows to be ordered. Positions and values are finite, row-major float32.
struct OrderInput {
  std::size_t num_rows = 0;
  const float* positions = nullptr;  ///< x, y, z of each row
  std::size_t position_stride = 3;   ///< numbers from one row's position to the next
  const float* values = nullptr;     ///< [n × num_channels] all a model reads; may be null
  std::size_t num_channels = 0;
  std::array<double, 3> origin{};  ///< what was subtracted from positions
  /// [n] nonzero = keep; others leave box and diagnostics alone and come last, in the same order, their
  /// cells clamped to the grid. Null: all are kept.
  const std::uint8_t* keep = nullptr;
};

/// Returns the total canonical order of the rows: sorted by (63-bit key of the cell along the curve,
/// position, values, row); −0 equals +0. The row decides only between identical rows, so that shuffling the
/// input shuffles nothing but rows that no model can tell apart.
///
/// cell = floor((double(x) − min) · inverse), two rounded operations, cubic cells of edge
/// (longest side of the box) / 2^21 with min the per-axis minimum, or those of `grid`. The last cell
/// includes the box maximum. Key: 21 bits per axis, bit triple (x, y, z) with x highest; for Hilbert the
/// cell's place along the curve through all 2^63 cells.
/// Curve::none gives 0, 1, 2, … with empty diagnostics (rows not kept stay where they are, too).
/// @throws CloudError if `grid` is too fine for the points; the message names the finest cell that
///         fits. std::invalid_argument if grid->cell is not a positive finite number, if
///         grid->origin is not finite, or for 2^32 rows and more.
/// Same permutation for any number of threads (0 = all). Memory 28 bytes per row. O(n) but for ties.
/// Source: Morton, "A computer oriented geodetic data base", IBM 1966; Skilling,
/// "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
PCL_ATTENTION_EXPORT Order canonical_order(const OrderInput& input, Curve curve,
                                           const std::optional<FixedGrid>& grid = {},
                                           unsigned num_threads = 0);

/// Returns the inverse: row_of_rank[rank_of_row[i]] = i.
/// @throws std::invalid_argument if `row_of_rank` is not a permutation of 0 … n−1.
PCL_ATTENTION_EXPORT std::vector<std::uint32_t> inverse_permutation(
    const std::vector<std::uint32_t>& row_of_rank);

}  // namespace pcl_attention
