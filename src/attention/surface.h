// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "attention/engine.h"
#include "pcl_attention/ordering.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention {

/// The valid points of a cloud in rank order. Keeps its memory between frames.
struct Surface {
  Tokens tokens;  ///< as gathered
  Order order;    ///< rank → token
  bool is_ordered = false;
  std::vector<std::uint8_t> token_keep, keep;  ///< nonzero = keep, by token and by rank; empty: all
  std::size_t num_ranked = 0;                  ///< tokens that have a rank: all, or with an order the kept ones

  /// Returns the tokens by rank. They live as long as the surface is left alone.
  TokenRows rows() const;

  const std::uint8_t* keep_or_null() const { return keep.empty() ? nullptr : keep.data(); }

  /// Returns which point of the cloud has a rank.
  std::uint32_t point(std::size_t rank) const { return tokens.point[order.row_of_rank[rank]]; }
};

/// Ranks the tokens that surface.tokens holds.
/// @param mask    [surface.tokens.num_points] nonzero = keep, or null
/// @param engine  lends the memory for sorting
void order_surface(Curve curve, const std::optional<FixedGrid>& grid, const std::uint8_t* mask, Engine& engine,
                   Surface& surface);

/// Resizes without the spare room that std::vector adds.
template <class T>
void make_room(std::size_t size, std::vector<T>& values) {
  values.reserve(size);
  values.resize(size);
}

}  // namespace pcl_attention
