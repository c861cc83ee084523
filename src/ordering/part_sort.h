// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "ordering/keyed_row.h"

namespace pcl_attention {

/// Rows on their way to `home`, where they end sorted. They lie there or in `other`.
struct SortedPart {
  KeyedRow* home = nullptr;
  KeyedRow* other = nullptr;
  std::size_t size = 0;
  bool at_home = true;

  KeyedRow* from() const { return at_home ? home : other; }
  KeyedRow* to() const { return at_home ? other : home; }

  /// Returns rows begin … end − 1 after all have moved to the other side.
  SortedPart moved(std::size_t begin, std::size_t end) const {
    return {home + begin, other + begin, end - begin, !at_home};
  }
};

/// Returns the bits in which any two keys of n rows differ.
std::uint64_t differing_bits(const KeyedRow* rows, std::size_t n);

/// Returns how far to shift keys so that the highest of `differing` bits leads a digit of `digit_bits`.
int digit_shift(std::uint64_t differing, int digit_bits);

/// Sorts a part by key on the calling thread. Stable.
void sort_part(const SortedPart& part);

}  // namespace pcl_attention
