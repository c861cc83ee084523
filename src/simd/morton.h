// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace pcl_attention::simd {

constexpr std::size_t kMortonPoints = 512;  ///< points of a call at most

/// Cells of x on an axis: floor((x − low) · inverse) + first, two rounded operations before the floor.
struct Cells {
  double low[3];
  double inverse, first;
};

/// Writes the keys of count ≤ kMortonPoints points: bit triples (x, y, z) of their cells, x highest. Cells
/// outside [0, 2^21) are clamped. Same bits as CellGrid::cell() and morton_key().
/// @param positions  x, y, z of point i at positions + i · stride
void morton_keys(const Cells& cells, const float* positions, std::size_t stride, std::size_t count,
                 std::uint64_t* keys);

}  // namespace pcl_attention::simd
