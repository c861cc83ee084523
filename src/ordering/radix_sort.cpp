// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/radix_sort.h"

#include <algorithm>
#include <utility>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

std::size_t digit_of(std::uint64_t key, int shift) { return key >> shift & (kDigits - 1); }

/// Returns the bits in which any two keys differ.
std::uint64_t differing_bits(const KeyedRows& rows) {
  const auto leaf = [&](std::size_t block) {
    const std::size_t end = std::min(rows.size, (block + 1) * kSortBlock);
    std::uint64_t bits = 0;
    for (std::size_t i = block * kSortBlock; i < end; ++i) bits |= rows.rows[i].key() ^ rows.rows[0].key();
    return bits;
  };
  const auto merge = [](std::uint64_t& left, std::uint64_t right) { left |= right; };
  return tree_reduce(0, num_sort_blocks(rows.size), leaf, merge);
}

void count_digits(const KeyedRows& rows, int shift, DigitCounts* counts) {
  for_each_block(rows.size, kSortBlock, [&](std::size_t begin, std::size_t end) {
    DigitCounts& count = counts[begin / kSortBlock];
    count.fill(0);
    for (std::size_t i = begin; i < end; ++i) ++count[digit_of(rows.rows[i].key(), shift)];
  });
}

/// Turns counts into the first place of each digit of each block: lower digits, then earlier blocks first.
void counts_to_places(DigitCounts* counts, std::size_t num_blocks) {
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    for (std::size_t block = 0; block < num_blocks; ++block) {
      const std::uint32_t n = counts[block][digit];
      counts[block][digit] = place;
      place += n;
    }
  }
}

/// Writes each row to the next place of its digit and block.
void scatter(const KeyedRows& rows, int shift, DigitCounts* places) {
  for_each_block(rows.size, kSortBlock, [&](std::size_t begin, std::size_t end) {
    DigitCounts& place = places[begin / kSortBlock];
    for (std::size_t i = begin; i < end; ++i)
      rows.spare[place[digit_of(rows.rows[i].key(), shift)]++] = rows.rows[i];
  });
}

}  // namespace

void radix_sort(KeyedRows& rows, DigitCounts* counts) {
  if (rows.size < 2) return;
  const std::uint64_t differing = differing_bits(rows);
  for (int shift = 0; shift < 64; shift += kDigitBits) {
    if (digit_of(differing, shift) == 0) continue;
    count_digits(rows, shift, counts);
    counts_to_places(counts, num_sort_blocks(rows.size));
    scatter(rows, shift, counts);
    std::swap(rows.rows, rows.spare);
  }
}

}  // namespace pcl_attention
