// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/keyed_row.h"

namespace pcl_attention {

/// Sorts by key. Stable: rows of one key keep their sequence. At most 2^32 − 1 rows.
/// Same result for any number of threads. Memory: a second set of rows. Time O(n) per digit of 11 bits
/// in which keys differ.
/// Source: Zagha and Blelloch, "Radix sort for vector multiprocessors", Supercomputing 1991.
void radix_sort(KeyedRows& rows);

}  // namespace pcl_attention
