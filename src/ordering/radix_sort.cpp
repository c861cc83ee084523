// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/radix_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

constexpr int digit_bits = 11;
constexpr std::size_t num_digits = std::size_t{1} << digit_bits;
constexpr std::size_t block_size = 1 << 14;

using Counts = std::array<std::uint32_t, num_digits>;  // one number per digit, of one block

std::size_t digit_of(std::uint64_t key, int shift) { return key >> shift & (num_digits - 1); }

std::size_t number_of_blocks(std::size_t n) { return (n + block_size - 1) / block_size; }

/// Returns the bits in which any two keys differ.
std::uint64_t differing_bits(const KeyedRows& rows) {
  const auto leaf = [&](std::size_t block) {
    const std::size_t end = std::min(rows.size(), (block + 1) * block_size);
    std::uint64_t bits = 0;
    for (std::size_t i = block * block_size; i < end; ++i) bits |= rows[i].key() ^ rows[0].key();
    return bits;
  };
  const auto merge = [](std::uint64_t& left, std::uint64_t right) { left |= right; };
  return tree_reduce(0, number_of_blocks(rows.size()), leaf, merge);
}

/// Fills counts[block] with how often each digit occurs in a block of rows.
void count_digits(const KeyedRows& rows, int shift, std::vector<Counts>& counts) {
  for_each_block(rows.size(), block_size, [&](std::size_t begin, std::size_t end) {
    Counts& count = counts[begin / block_size];
    count.fill(0);
    for (std::size_t i = begin; i < end; ++i) ++count[digit_of(rows[i].key(), shift)];
  });
}

/// Turns counts into the first place of each digit of each block: lower digits, then earlier blocks first.
void counts_to_places(std::vector<Counts>& counts) {
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit < num_digits; ++digit) {
    for (Counts& count : counts) {
      const std::uint32_t n = count[digit];
      count[digit] = place;
      place += n;
    }
  }
}

/// Writes each row to the next place of its digit and block.
void scatter(const KeyedRows& from, int shift, std::vector<Counts>& places, KeyedRows& to) {
  for_each_block(from.size(), block_size, [&](std::size_t begin, std::size_t end) {
    Counts& place = places[begin / block_size];
    for (std::size_t i = begin; i < end; ++i) to[place[digit_of(from[i].key(), shift)]++] = from[i];
  });
}

}  // namespace

void radix_sort(KeyedRows& rows) {
  if (rows.size() < 2) return;
  const std::uint64_t differing = differing_bits(rows);
  KeyedRows sorted(rows.size());
  std::vector<Counts> counts(number_of_blocks(rows.size()));
  for (int shift = 0; shift < 64; shift += digit_bits) {
    if (digit_of(differing, shift) == 0) continue;
    count_digits(rows, shift, counts);
    counts_to_places(counts);
    scatter(rows, shift, counts, sorted);
    std::swap(rows, sorted);
  }
}

}  // namespace pcl_attention
