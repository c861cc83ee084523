// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ordering/keyed_row.h"

namespace pcl_attention {

constexpr int kDigitBits = 11;
constexpr std::size_t kSortBlock = 1 << 14;  ///< rows that one thread counts and moves at a time

/// How often each digit occurs in a block of rows.
using DigitCounts = std::array<std::uint32_t, std::size_t{1} << kDigitBits>;

/// Returns the number of blocks of n rows.
constexpr std::size_t num_sort_blocks(std::size_t n) { return (n + kSortBlock - 1) / kSortBlock; }

/// Sorts rows.rows by key; rows.spare is scratch. Stable: rows of one key keep their sequence. At most
/// 2^32 − 1 rows.
///
/// From the highest bit in which keys differ: all threads part the rows by a digit of 11 bits, then each part
/// that fits a processor's cache is sorted by one thread, larger ones again by all.
/// @param differing  bits in which keys may differ, others do not
/// @param counts     [num_sort_blocks(rows.size)] scratch
/// Same result for any number of threads. Time O(n · bits).
/// Source: McIlroy, Bostic and McIlroy, "Engineering radix sort", Computing Systems 6, 1993.
void radix_sort(const KeyedRows& rows, std::uint64_t differing, DigitCounts* counts);

}  // namespace pcl_attention
