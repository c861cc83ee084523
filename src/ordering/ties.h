// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "ordering/keyed_row.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention {

/// Cells with more than one point, of rows that are kept.
struct TieSummary {
  std::size_t ties = 0;         ///< kept rows − distinct keys
  std::size_t longest_run = 0;  ///< most rows of one key
};

constexpr std::size_t kTieBlock = 4096;  ///< rows that one thread looks through at a time

/// What one block found.
struct BlockTies {
  TieSummary summary;
  std::size_t first = 0;  ///< where the first run of the block begins; its end if none does
  std::size_t begin = 0,
              end = 0;  ///< a run longer than a block, left to all threads; at most one begins here
};

/// Returns the number of blocks of n rows.
constexpr std::size_t num_tie_blocks(std::size_t n) { return (n + kTieBlock - 1) / kTieBlock; }

/// Sorts each run of equal keys in rows.rows by (position, values, row), writes the rows in their order and
/// returns what it found. −0 equals +0.
/// @param rows         sorted by key; rows.spare is overwritten
/// @param blocks       [num_tie_blocks(rows.size)] scratch
/// @param row_of_rank  [rows.size]
TieSummary resolve_ties(const OrderInput& input, const KeyedRows& rows, BlockTies* blocks,
                        std::uint32_t* row_of_rank);

}  // namespace pcl_attention
