// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "attention/surface.h"

namespace pcl_attention {

/// Points of the surface that are answered. Keeps its memory between frames.
struct ChosenPoints {
  std::vector<std::uint32_t> rank;           ///< answer → rank
  std::vector<std::uint32_t> row;            ///< answer → output row, ascending
  std::vector<std::uint32_t> rank_of_point;  ///< scratch
};

/// Chooses `count` points of the surface's cloud; invalid ones have no answer.
/// @throws std::invalid_argument naming the first that is out of range.
void choose_points(const Surface& surface, const std::int32_t* points, std::size_t count,
                   ChosenPoints& chosen);

/// Writes NaN to the rows without an answer, `width` numbers each, and returns how many there are.
/// @param answered  rows with an answer, ascending
template <class T>
std::size_t fill_nan_rows(const std::vector<std::uint32_t>& answered, std::size_t num_rows, std::size_t width,
                          T* rows);

}  // namespace pcl_attention
