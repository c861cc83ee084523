// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simd/kernels.h"

// What learned queries make of a tile's points: the other direction of attend(). Lanes are slots.

namespace pcl_attention::simd {

/// Learned queries of one head, and what is added to their scores.
struct SlotQueries {
  const float* queries = nullptr;  ///< [width × padded_slots] z, with the factor log2(e)/√width
  std::size_t width = 0, padded_slots = 0;
  const float* offsets = nullptr;    ///< [kTilePoints] of a point's scores; null: none
  const float* anchors = nullptr;    ///< [3 × padded_slots]; null: none
  const float* positions = nullptr;  ///< [3 × kTilePoints], read if there are anchors
  float distance_factor = 0.0F;      ///< times ‖p − a‖² is added
};

/// Writes panels e[p][j] = 2^(s_pj − m_j), s_pj = Σ_c z[c][j] x[c][p] with what is added, for the tile's
/// first `count` points, zero for those that do not take part, and raises largest[j] to m_j: the smallest
/// integer that no score of slot j exceeds. 2^x: relative error ≤ 2e-7.
/// @param x           [width × kTilePoints]
/// @param takes_part  [kTilePoints] nonzero = yes; null: all
/// @param largest     [padded_slots] −FLT_MAX before the first tile
/// @param panels      [padded_slots / kSlotPanel][kTilePoints][kSlotPanel]
void weigh_slots(const SlotQueries& slots, const float* x, std::size_t count, const std::uint8_t* takes_part,
                 float* largest, float* panels);

/// Writes squares[p] = factor · Σ_c x[c][p]².
void scaled_squares(const float* x, std::size_t width, float factor, float* squares);

}  // namespace pcl_attention::simd
