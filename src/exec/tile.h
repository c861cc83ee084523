// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "attention/engine.h"
#include "simd/kernels.h"

namespace pcl_attention {

constexpr std::size_t kChunkTiles = 4;  ///< tiles of a chunk; a constant of the algorithm

/// A range of at most kTilePoints rows.
struct TileRange {
  std::size_t first = 0, count = 0;

  TileRange(std::size_t tile, std::size_t total)
      : first(tile * simd::kTilePoints), count(std::min(simd::kTilePoints, total - first)) {}
};

/// The rows that a summary is made of and which of them take part: tokens in rank order, then padded rows of
/// zeros.
struct SurfaceLayout {
  const TokenRows* tokens = nullptr;
  std::size_t num_ranked = 0;
  const std::uint8_t* keep = nullptr;
  std::size_t padded = 0;

  std::size_t n() const { return tokens->n; }
  std::size_t total() const { return n() + padded; }
  std::size_t num_ranks() const { return num_ranked + padded; }
  std::size_t num_tiles() const { return (total() + simd::kTilePoints - 1) / simd::kTilePoints; }

  /// Returns true if row i is summarised.
  bool takes_part(std::size_t i) const {
    return i >= n() || (i < num_ranked && (keep == nullptr || keep[i] != 0));
  }
  /// Returns true if every row of the range is a token that is summarised, so that row i has rank i.
  bool all_take_part(TileRange range) const {
    return keep == nullptr && range.first + range.count <= num_ranked;
  }
  /// Returns the rank of a row that takes part, and the row of a rank.
  std::size_t rank(std::size_t i) const { return i < n() ? i : num_ranked + i - n(); }
  std::size_t row(std::size_t rank) const { return rank < num_ranked ? rank : n() + rank - num_ranked; }
};

}  // namespace pcl_attention
