// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/radix_sort.h"

#include <algorithm>
#include <utility>

#include "exec/parallel.h"
#include "ordering/part_sort.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kDigitsAtOnce = 8;  ///< whose parts one thread sorts at a time

using DigitBegins = std::array<std::uint32_t, kDigits + 1>;

std::size_t digit_of(const KeyedRow& row, int shift) { return row.key() >> shift & (kDigits - 1); }

/// Returns the bits in which any two keys differ.
std::uint64_t differing_bits_of(const KeyedRow* rows, std::size_t n) {
  const auto leaf = [&](std::size_t block) {
    const std::size_t begin = block * kSortBlock, end = std::min(n, begin + kSortBlock);
    return differing_bits(rows + begin, end - begin) | (rows[begin].key() ^ rows[0].key());
  };
  const auto merge = [](std::uint64_t& left, std::uint64_t right) { left |= right; };
  return tree_reduce(0, num_sort_blocks(n), leaf, merge);
}

void count_digits(const SortedPart& part, int shift, DigitCounts* counts) {
  for_each_block(part.size, kSortBlock, [&](std::size_t begin, std::size_t end) {
    DigitCounts& count = counts[begin / kSortBlock];
    count.fill(0);
    for (std::size_t i = begin; i < end; ++i) ++count[digit_of(part.from()[i], shift)];
  });
}

/// Turns counts into the first place of each digit of each block: lower digits, then earlier blocks first.
/// Returns the first place of each digit.
DigitBegins counts_to_places(DigitCounts* counts, std::size_t num_blocks) {
  DigitBegins begins;
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    begins[digit] = place;
    for (std::size_t block = 0; block < num_blocks; ++block)
      place += std::exchange(counts[block][digit], place);
  }
  begins[kDigits] = place;
  return begins;
}

/// Moves each row to the next place of its digit and block.
void scatter(const SortedPart& part, int shift, DigitCounts* places) {
  for_each_block(part.size, kSortBlock, [&](std::size_t begin, std::size_t end) {
    DigitCounts& place = places[begin / kSortBlock];
    for (std::size_t i = begin; i < end; ++i) {
      const KeyedRow& row = part.from()[i];
      part.to()[place[digit_of(row, shift)]++] = row;
    }
  });
}

/// Sorts the parts of all digits that fit a cache, each on one thread.
void sort_small_parts(const SortedPart& part, const DigitBegins& begins) {
  for_each_block(kDigits, kDigitsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t digit = first; digit < last; ++digit)
      if (begins[digit + 1] - begins[digit] <= kSortBlock)
        sort_part(part.moved(begins[digit], begins[digit + 1]));
  });
}

void sort_by_all(const SortedPart& part, std::uint64_t differing, DigitCounts* counts) {
  if (part.size <= kSortBlock || differing == 0) return sort_part(part);
  const int shift = digit_shift(differing, kDigitBits);
  count_digits(part, shift, counts);
  const DigitBegins begins = counts_to_places(counts, num_sort_blocks(part.size));
  scatter(part, shift, counts);
  sort_small_parts(part, begins);
  for (std::size_t digit = 0; digit < kDigits; ++digit)
    if (begins[digit + 1] - begins[digit] > kSortBlock) {
      const SortedPart large = part.moved(begins[digit], begins[digit + 1]);
      sort_by_all(large, differing_bits_of(large.from(), large.size), counts);
    }
}

}  // namespace

void radix_sort(const KeyedRows& rows, std::uint64_t differing, DigitCounts* counts) {
  if (rows.size > 1) sort_by_all({rows.rows, rows.spare, rows.size, true}, differing, counts);
}

}  // namespace pcl_attention
