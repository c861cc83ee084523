// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>

#include "ordering/keys.h"
#include "ordering/ties.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention {

/// Returns the bytes of scratch that canonical_order() below needs for n rows: 25 per row.
std::size_t order_scratch_size(std::size_t num_rows);

/// @throws std::invalid_argument as canonical_order() does for the grid.
void check_grid(const std::optional<FixedGrid>& grid);

/// Returns what an order tells of its cells.
OrderDiagnostics diagnose(const TieSummary& ties, const PositionBox& box, const CellGrid& cells);

/// Sorts rows elsewhere than on the CPU.
class RowSorter {
 public:
  virtual ~RowSorter() = default;

  /// Writes the permutation of canonical_order() and returns its ties.
  /// @param differing    the bits in which two keys may differ
  /// @param row_of_rank  [input.num_rows]
  virtual TieSummary sort(const OrderInput& input, const CellGrid& cells, Curve curve,
                          std::uint64_t differing, std::uint32_t* row_of_rank) = 0;
};

/// Fills `order` as pcl_attention::canonical_order() does, on the threads of the present arena. Allocates
/// only where order.row_of_rank is shorter than in an earlier call.
/// @param scratch  order_scratch_size(input.num_rows) bytes, aligned as for std::max_align_t
void canonical_order(const OrderInput& input, Curve curve, const std::optional<FixedGrid>& grid,
                     std::byte* scratch, Order& order);

/// The same by a sorter; box and cells are found on the CPU.
void canonical_order(const OrderInput& input, Curve curve, const std::optional<FixedGrid>& grid,
                     RowSorter& sorter, Order& order);

}  // namespace pcl_attention
