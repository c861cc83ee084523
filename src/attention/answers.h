// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "attention/surface.h"

namespace pcl_attention {

/// Which tokens are answered, and into which rows of the output. Keeps its memory between frames.
struct Answers {
  std::size_t num_rows = 0;         ///< of the output
  std::vector<std::uint32_t> row;   ///< answer → output row
  std::vector<std::uint32_t> rank;  ///< answer → rank, of chosen points

  // Scratch of the functions below.
  std::vector<std::uint32_t> rank_of_point;
  std::vector<std::uint8_t> answered;  ///< by output row
};

/// Answers every valid point.
void answer_all(const Surface& surface, Answers& answers);

/// Answers `count` points of the surface's cloud.
/// @throws std::invalid_argument naming the first that is out of range.
void answer_points(const Surface& surface, const std::int32_t* points, std::size_t count, Answers& answers);

/// Writes NaN to the rows without an answer, `width` numbers each, and returns how many there are.
template <class T>
std::size_t fill_nan_rows(Answers& answers, std::size_t width, T* rows);

}  // namespace pcl_attention
