// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/keyed_rows.h"

namespace pcl_attention {

/// Sorts the pairs by key. Stable: pairs of one key keep their sequence. At most 2^32 − 1 pairs.
/// Same result for any number of threads. Memory: a second set of pairs. Time O(n) per digit of 8 bits in
/// which keys differ.
/// Source: Zagha and Blelloch, "Radix sort for vector multiprocessors", Supercomputing 1991.
void radix_sort(KeyedRows& pairs);

}  // namespace pcl_attention
