// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "ordering/keyed_row.h"
#include "ordering/radix_sort.h"
#include "ordering/ties.h"

namespace pcl_attention {

/// What ordering needs beside input and result, in memory of the caller: 24 bytes per row and 0.6 for counts.
struct OrderMemory {
  BlockTies* ties = nullptr;      ///< [num_tie_blocks(n)]
  DigitCounts* counts = nullptr;  ///< [num_sort_blocks(n)]
  KeyedRows rows;

  /// Returns the bytes for n rows.
  static constexpr std::size_t size(std::size_t n) {
    return num_tie_blocks(n) * sizeof(BlockTies) + num_sort_blocks(n) * sizeof(DigitCounts) +
           2 * n * sizeof(KeyedRow);
  }

  /// Divides size(n) bytes, aligned as for std::max_align_t.
  OrderMemory(std::byte* memory, std::size_t n) {
    ties = reinterpret_cast<BlockTies*>(memory);
    memory += num_tie_blocks(n) * sizeof(BlockTies);
    counts = reinterpret_cast<DigitCounts*>(memory);
    memory += num_sort_blocks(n) * sizeof(DigitCounts);
    rows = {reinterpret_cast<KeyedRow*>(memory), reinterpret_cast<KeyedRow*>(memory) + n, n};
  }
};

}  // namespace pcl_attention
