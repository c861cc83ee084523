// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/order.h"

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>

#include "exec/parallel.h"
#include "ordering/keys.h"
#include "ordering/order_memory.h"

namespace pcl_attention {
namespace {

void check_arguments(const OrderInput& input, const std::optional<FixedGrid>& grid) {
  if (input.num_rows > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("canonical_order: more than 2^32 - 1 rows");
  check_grid(grid);
}

void identity(std::size_t n, Order& order) {
  order.row_of_rank.resize(n);
  std::iota(order.row_of_rank.begin(), order.row_of_rank.end(), 0U);
  order.diagnostics = {};
}

/// Sorts on the CPU.
class CpuSorter : public RowSorter {
 public:
  explicit CpuSorter(std::byte* scratch) : scratch_(scratch) {}

  TieSummary sort(const OrderInput& input, const CellGrid& cells, Curve curve, std::uint64_t differing,
                  std::uint32_t* row_of_rank) override {
    OrderMemory memory(scratch_, input.num_rows);
    curve_keys(input, cells, curve, memory.rows.rows);
    radix_sort(memory.rows, differing, memory.counts);
    return resolve_ties(input, memory.rows, memory.ties, row_of_rank);
  }

 private:
  std::byte* scratch_;
};

void order_along(Curve curve, const OrderInput& input, const std::optional<FixedGrid>& grid,
                 RowSorter& sorter, Order& order) {
  const PositionBox box = kept_box(input);
  const CellGrid cells = cell_grid(box, input.origin, grid);
  order.row_of_rank.resize(input.num_rows);
  const TieSummary ties =
      sorter.sort(input, cells, curve, differing_bits(input.keep != nullptr, box, cells, curve),
                  order.row_of_rank.data());
  order.diagnostics = diagnose(ties, box, cells);
}

}  // namespace

void check_grid(const std::optional<FixedGrid>& grid) {
  if (!grid) return;
  if (!(grid->cell > 0.0) || !std::isfinite(grid->cell) || !std::isfinite(1.0 / grid->cell))
    throw std::invalid_argument("canonical_order: grid cell is " + std::to_string(grid->cell) +
                                ", expected a positive finite number");
  for (const double x : grid->origin)
    if (!std::isfinite(x)) throw std::invalid_argument("canonical_order: the grid's origin is not finite");
}

OrderDiagnostics diagnose(const TieSummary& ties, const PositionBox& box, const CellGrid& cells) {
  return {ties.ties, ties.longest_run, bits_per_axis(box, cells), cells.edge};
}

std::size_t order_scratch_size(std::size_t num_rows) { return OrderMemory::size(num_rows); }

void canonical_order(const OrderInput& input, Curve curve, const std::optional<FixedGrid>& grid,
                     std::byte* scratch, Order& order) {
  CpuSorter sorter(scratch);
  canonical_order(input, curve, grid, sorter, order);
}

void canonical_order(const OrderInput& input, Curve curve, const std::optional<FixedGrid>& grid,
                     RowSorter& sorter, Order& order) {
  check_arguments(input, grid);
  if (curve == Curve::none)
    identity(input.num_rows, order);
  else
    order_along(curve, input, grid, sorter, order);
}

Order canonical_order(const OrderInput& input, Curve curve, const std::optional<FixedGrid>& grid,
                      unsigned num_threads) {
  check_arguments(input, grid);
  const std::size_t size = curve == Curve::none ? 0 : order_scratch_size(input.num_rows);
  const std::unique_ptr<std::byte[]> scratch(new std::byte[size]);
  Order order;
  with_threads(num_threads, [&] { canonical_order(input, curve, grid, scratch.get(), order); });
  return order;
}

}  // namespace pcl_attention
