// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pcl_attention {

/// Returns the low 21 bits of x, two zero bits between neighbours: bit i moves to bit 3i.
inline std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x00000000001FFFFF;
  x = (x | x << 32) & 0x001F00000000FFFF;
  x = (x | x << 16) & 0x001F0000FF0000FF;
  x = (x | x << 8) & 0x100F00F00F00F00F;
  x = (x | x << 4) & 0x10C30C30C30C30C3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

/// Returns the 63-bit key of a cell: bit triples (x, y, z), x highest. Each index is below 2^21.
/// Source: Morton, "A computer oriented geodetic data base", IBM 1966.
inline std::uint64_t morton_key(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return spread_bits(x) << 2 | spread_bits(y) << 1 | spread_bits(z);
}

}  // namespace pcl_attention
