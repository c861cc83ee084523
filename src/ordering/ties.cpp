// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ties.h"

#include <algorithm>
#include <utility>

#include "exec/parallel.h"
#include "ordering/keys.h"

namespace pcl_attention {
namespace {

/// Returns −1, 0, 1 for the first numbers that differ.
int compare(const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/// Rows by position, values, row.
struct RowLess {
  const OrderInput& input;

  bool operator()(const KeyedRow& a, const KeyedRow& b) const {
    const std::size_t i = a.row, j = b.row, d = input.num_channels, stride = input.position_stride;
    int order = compare(input.positions + i * stride, input.positions + j * stride, 3);
    if (order == 0 && input.values != nullptr) order = compare(input.values + i * d, input.values + j * d, d);
    return order != 0 ? order < 0 : i < j;
  }
};

/// Sorts many rows: fixed blocks, then merges of two neighbours, each step by several threads.
void sort_long_run(KeyedRow* rows, KeyedRow* spare, std::size_t n, const RowLess& less) {
  for_each_block(n, kTieBlock,
                 [&](std::size_t begin, std::size_t end) { std::sort(rows + begin, rows + end, less); });
  KeyedRow *from = rows, *to = spare;
  for (std::size_t sorted = kTieBlock; sorted < n; sorted *= 2) {
    for_each_block(n, 2 * sorted, [&](std::size_t begin, std::size_t end) {
      const std::size_t middle = std::min(begin + sorted, end);
      std::merge(from + begin, from + middle, from + middle, from + end, to + begin, less);
    });
    std::swap(from, to);
  }
  if (from != rows) std::copy_n(from, n, rows);
}

/// Sorts the runs that begin in [begin, end), however far they go; a long one is only noted.
BlockTies resolve_block(const RowLess& less, const KeyedRows& rows, std::size_t begin, std::size_t end) {
  KeyedRow* const sorted = rows.rows;
  BlockTies found;
  std::size_t first = begin;
  while (first > 0 && first < end && sorted[first].key() == sorted[first - 1].key()) ++first;
  while (first < end) {
    const std::uint64_t key = sorted[first].key();
    std::size_t last = first + 1;
    while (last < rows.size && sorted[last].key() == key) ++last;
    if (last - first > kTieBlock) {
      found.begin = first;
      found.end = last;
    } else if (last - first > 1) {
      std::sort(sorted + first, sorted + last, less);
    }
    if ((key & not_kept_bit) == 0) {
      found.summary.ties += last - first - 1;
      found.summary.longest_run = std::max(found.summary.longest_run, last - first);
    }
    first = last;
  }
  return found;
}

}  // namespace

TieSummary resolve_ties(const OrderInput& input, const KeyedRows& rows, BlockTies* blocks) {
  const RowLess less{input};
  for_each_block(rows.size, kTieBlock, [&](std::size_t begin, std::size_t end) {
    blocks[begin / kTieBlock] = resolve_block(less, rows, begin, end);
  });

  TieSummary summary;
  for (std::size_t b = 0; b < num_tie_blocks(rows.size); ++b) {
    const BlockTies& block = blocks[b];
    summary.ties += block.summary.ties;
    summary.longest_run = std::max(summary.longest_run, block.summary.longest_run);
    if (block.begin != block.end)
      sort_long_run(rows.rows + block.begin, rows.spare + block.begin, block.end - block.begin, less);
  }
  return summary;
}

}  // namespace pcl_attention
