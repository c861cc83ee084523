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

void copy_rows(const KeyedRow* sorted, std::size_t first, std::size_t last, std::uint32_t* row_of_rank) {
  for (std::size_t i = first; i < last; ++i) row_of_rank[i] = sorted[i].row;
}

std::size_t first_run(const KeyedRow* sorted, std::size_t begin, std::size_t end) {
  std::size_t first = begin;
  while (first > 0 && first < end && sorted[first].key() == sorted[first - 1].key()) ++first;
  return first;
}

/// Returns where the runs that begin in a block end: at the next block's first.
std::size_t end_of_runs(const BlockTies* blocks, std::size_t block, std::size_t num_rows) {
  for (++block; block < num_tie_blocks(num_rows); ++block)
    if (blocks[block].first < std::min(num_rows, (block + 1) * kTieBlock)) return blocks[block].first;
  return num_rows;
}

/// Sorts the runs in [first, end) and writes their rows; a long one is only noted.
void resolve_block(const RowLess& less, KeyedRow* sorted, std::size_t end, BlockTies& block,
                   std::uint32_t* row_of_rank) {
  block.begin = block.end = 0;
  block.summary = {};
  std::size_t last = 0;
  for (std::size_t first = block.first; first < end; first = last) {
    const std::uint64_t key = sorted[first].key();
    for (last = first + 1; last < end && sorted[last].key() == key;) ++last;
    if (last - first > kTieBlock) {
      block.begin = first;
      block.end = last;
    } else {
      if (last - first > 1) std::sort(sorted + first, sorted + last, less);
      copy_rows(sorted, first, last, row_of_rank);
    }
    if ((key & not_kept_bit) != 0) continue;
    block.summary.ties += last - first - 1;
    block.summary.longest_run = std::max(block.summary.longest_run, last - first);
  }
}

}  // namespace

TieSummary resolve_ties(const OrderInput& input, const KeyedRows& rows, BlockTies* blocks,
                        std::uint32_t* row_of_rank) {
  const RowLess less{input};
  for_each_block(rows.size, kTieBlock, [&](std::size_t begin, std::size_t end) {
    blocks[begin / kTieBlock].first = first_run(rows.rows, begin, end);
  });
  // Every block now sorts rows that no other reads.
  for_each_block(rows.size, kTieBlock, [&](std::size_t begin, std::size_t end) {
    const std::size_t b = begin / kTieBlock;
    const std::size_t last = blocks[b].first < end ? end_of_runs(blocks, b, rows.size) : end;
    resolve_block(less, rows.rows, last, blocks[b], row_of_rank);
  });

  TieSummary summary;
  for (std::size_t b = 0; b < num_tie_blocks(rows.size); ++b) {
    const BlockTies& block = blocks[b];
    summary.ties += block.summary.ties;
    summary.longest_run = std::max(summary.longest_run, block.summary.longest_run);
    if (block.begin == block.end) continue;
    sort_long_run(rows.rows + block.begin, rows.spare + block.begin, block.end - block.begin, less);
    copy_rows(rows.rows, block.begin, block.end, row_of_rank);
  }
  return summary;
}

}  // namespace pcl_attention
