// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace pcl_attention::simd {

constexpr std::size_t kKeyPoints = 512;  ///< points of a call at most

/// Cells of x on an axis: floor((x − low) · inverse) + first, two rounded operations before the floor.
struct Cells {
  double low[3];
  double inverse, first;
};

/// Writes the keys of count ≤ kKeyPoints points: bit triples (x, y, z) of their cells, x highest. Cells
/// outside [0, 2^21) are clamped. Same bits as CellGrid::cell() and morton_key().
/// @param positions  x, y, z of point i at positions + i · stride
void morton_keys(const Cells& cells, const float* positions, std::size_t stride, std::size_t count,
                 std::uint64_t* keys);

/// Writes the places of the same cells along a Hilbert curve through 2^21 cells per axis: neighbours along
/// the curve are cells that share a face.
/// Source: Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
void hilbert_keys(const Cells& cells, const float* positions, std::size_t stride, std::size_t count,
                  std::uint64_t* keys);

}  // namespace pcl_attention::simd
