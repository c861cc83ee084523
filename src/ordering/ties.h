// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordering/keyed_row.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention {

/// Cells with more than one point, of rows that are kept.
struct TieSummary {
  std::size_t ties = 0;         ///< kept rows − distinct keys
  std::size_t longest_run = 0;  ///< most rows of one key
};

/// Sorts each run of equal keys by (position, values, row) and returns what it found. −0 equals +0.
/// @param sorted  by key
/// @param rows    in: the rows of `sorted`; out: in canonical order
TieSummary resolve_ties(const OrderInput& input, const KeyedRows& sorted, std::vector<std::uint32_t>& rows);

}  // namespace pcl_attention
