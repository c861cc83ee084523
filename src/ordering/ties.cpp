// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ties.h"

#include <algorithm>

#include "exec/parallel.h"
#include "ordering/keys.h"

namespace pcl_attention {
namespace {

constexpr std::size_t block_size = 4096;
constexpr std::size_t long_run = 4096;  ///< runs above this length are sorted by several threads

/// Returns −1, 0, 1 for the first numbers that differ.
int compare(const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/// Rows by position, values, row.
struct RowLess {
  const OrderInput& input;

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    int order = compare(input.positions + 3 * std::size_t{a}, input.positions + 3 * std::size_t{b}, 3);
    const std::size_t d = input.num_channels;
    if (order == 0 && input.values != nullptr) order = compare(input.values + a * d, input.values + b * d, d);
    return order != 0 ? order < 0 : a < b;
  }
};

/// Sorts many rows: fixed blocks, then merges of two neighbours, each step by several threads.
void sort_long_run(std::uint32_t* rows, std::size_t n, const RowLess& less) {
  for_each_block(n, block_size,
                 [&](std::size_t begin, std::size_t end) { std::sort(rows + begin, rows + end, less); });
  for (std::size_t sorted = block_size; sorted < n; sorted *= 2) {
    for_each_block(n, 2 * sorted, [&](std::size_t begin, std::size_t end) {
      if (begin + sorted < end) std::inplace_merge(rows + begin, rows + begin + sorted, rows + end, less);
    });
  }
}

struct Run {
  std::size_t begin = 0, end = 0;
};

struct BlockRuns {
  TieSummary summary;
  std::vector<Run> long_runs;
};

/// Sorts the runs that begin in [begin, end), however far they go; long ones are only listed.
BlockRuns resolve_block(const RowLess& less, const KeyedRows& sorted, std::uint32_t* rows, std::size_t begin,
                        std::size_t end) {
  BlockRuns found;
  std::size_t first = begin;
  while (first > 0 && first < end && sorted[first].key() == sorted[first - 1].key()) ++first;
  while (first < end) {
    const std::uint64_t key = sorted[first].key();
    std::size_t last = first + 1;
    while (last < sorted.size() && sorted[last].key() == key) ++last;
    if (last - first > long_run) {
      found.long_runs.push_back({first, last});
    } else if (last - first > 1) {
      std::sort(rows + first, rows + last, less);
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

TieSummary resolve_ties(const OrderInput& input, const KeyedRows& sorted, std::vector<std::uint32_t>& rows) {
  const RowLess less{input};
  std::vector<BlockRuns> blocks((rows.size() + block_size - 1) / block_size);
  for_each_block(rows.size(), block_size, [&](std::size_t begin, std::size_t end) {
    blocks[begin / block_size] = resolve_block(less, sorted, rows.data(), begin, end);
  });

  TieSummary summary;
  for (const BlockRuns& block : blocks) {
    summary.ties += block.summary.ties;
    summary.longest_run = std::max(summary.longest_run, block.summary.longest_run);
    for (const Run& run : block.long_runs) sort_long_run(rows.data() + run.begin, run.end - run.begin, less);
  }
  return summary;
}

}  // namespace pcl_attention
