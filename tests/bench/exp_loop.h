// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pcl_attention::bench {

/// Replaces x[i] ≤ 0 by 2^x[i] with the polynomial of the kernels, a vector at a time.
/// @param n  a multiple of 64; x is aligned to 64 bytes
void exponentials(float* x, std::size_t n);

}  // namespace pcl_attention::bench
