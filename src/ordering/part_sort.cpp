// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/part_sort.h"

#include <algorithm>
#include <utility>

namespace pcl_attention {
namespace {

constexpr std::size_t kFewRows = 16;
constexpr int kMostBits = 8;

/// Writes the rows sorted to `to`, which may be `from`.
void insert_rows(const KeyedRow* from, KeyedRow* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const KeyedRow row = from[i];
    const std::uint64_t key = row.key();
    std::size_t place = i;
    for (; place > 0 && to[place - 1].key() > key; --place) to[place] = to[place - 1];
    to[place] = row;
  }
}

/// Returns about log2 n, so that parts have a row or two each if digits are evenly spread.
int bits_for(std::size_t n) {
  int bits = 0;
  while (bits < kMostBits && n >> (bits + 1) != 0) ++bits;
  return bits;
}

/// Sorts what has moved: neighbouring digits of few rows together by insertion, others each by itself.
/// @param end  [digits] where each digit ends
void sort_digits(const SortedPart& part, const std::uint32_t* end, std::size_t digits) {
  const auto insert = [&](std::size_t first, std::size_t last) {
    insert_rows(part.to() + first, part.home + first, last - first);
  };
  std::size_t first = 0, begin = 0;  // rows first … begin − 1 wait
  for (std::size_t digit = 0; digit < digits; begin = end[digit++]) {
    if (end[digit] - begin <= kFewRows) continue;
    insert(first, begin);
    sort_part(part.moved(begin, end[digit]));
    first = end[digit];
  }
  insert(first, begin);
}

}  // namespace

std::uint64_t differing_bits(const KeyedRow* rows, std::size_t n) {
  std::uint64_t bits = 0;
  for (std::size_t i = 1; i < n; ++i) bits |= rows[i].key() ^ rows[0].key();
  return bits;
}

int digit_shift(std::uint64_t differing, int digit_bits) {
  int width = 0;
  for (; differing != 0; differing >>= 1) ++width;
  return std::max(0, width - digit_bits);
}

void sort_part(const SortedPart& part) {
  if (part.size <= kFewRows) return insert_rows(part.from(), part.home, part.size);
  const KeyedRow* from = part.from();
  const std::uint64_t differing = differing_bits(from, part.size);
  if (differing == 0) {
    if (!part.at_home) std::copy_n(from, part.size, part.home);
    return;
  }
  const int bits = bits_for(part.size), shift = digit_shift(differing, bits);
  const std::size_t digits = std::size_t{1} << bits;
  std::uint32_t end[std::size_t{1} << kMostBits] = {};
  const auto digit_of = [&](const KeyedRow& row) { return row.key() >> shift & (digits - 1); };
  for (std::size_t i = 0; i < part.size; ++i) ++end[digit_of(from[i])];
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit < digits; ++digit) place += std::exchange(end[digit], place);
  for (std::size_t i = 0; i < part.size; ++i) part.to()[end[digit_of(from[i])]++] = from[i];
  sort_digits(part, end, digits);
}

}  // namespace pcl_attention
