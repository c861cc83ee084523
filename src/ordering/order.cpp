// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "exec/parallel.h"
#include "ordering/keys.h"
#include "ordering/radix_sort.h"
#include "ordering/ties.h"

namespace pcl_attention {
namespace {

void check_arguments(const OrderInput& input, const std::optional<FixedGrid>& grid) {
  if (input.num_rows > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("canonical_order: more than 2^32 - 1 rows");
  if (!grid) return;
  if (!(grid->cell > 0.0) || !std::isfinite(grid->cell) || !std::isfinite(1.0 / grid->cell))
    throw std::invalid_argument("canonical_order: grid cell is " + std::to_string(grid->cell) +
                                ", expected a positive finite number");
  for (const double x : grid->origin)
    if (!std::isfinite(x)) throw std::invalid_argument("canonical_order: the grid's origin is not finite");
}

Order identity(std::size_t n) {
  Order order;
  order.row_of_rank.resize(n);
  std::iota(order.row_of_rank.begin(), order.row_of_rank.end(), 0U);
  return order;
}

std::vector<std::uint32_t> rows_of(const KeyedRows& keyed) {
  std::vector<std::uint32_t> rows(keyed.size());
  for_each_block(rows.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows[i] = keyed[i].row;
  });
  return rows;
}

Order morton_order(const OrderInput& input, const std::optional<FixedGrid>& grid) {
  const PositionBox box = kept_box(input);
  const CellGrid cells = cell_grid(box, input.origin, grid);
  KeyedRows sorted = morton_keys(input, cells);
  radix_sort(sorted);

  Order order;
  order.row_of_rank = rows_of(sorted);
  const TieSummary ties = resolve_ties(input, sorted, order.row_of_rank);
  order.diagnostics.ties = ties.ties;
  order.diagnostics.longest_tie_run = ties.longest_run;
  order.diagnostics.bits_per_axis = bits_per_axis(box, cells);
  order.diagnostics.cell = cells.edge;
  return order;
}

}  // namespace

Order canonical_order(const OrderInput& input, Curve curve, const std::optional<FixedGrid>& grid,
                      unsigned num_threads) {
  check_arguments(input, grid);
  if (curve == Curve::none) return identity(input.num_rows);
  return with_threads(num_threads, [&] { return morton_order(input, grid); });
}

}  // namespace pcl_attention
