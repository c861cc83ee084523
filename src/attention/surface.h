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
  Tokens tokens;                               ///< as gathered
  Order order;                                 ///< rank → token; no rows where tokens stay as they come
  int first_position = -1;                     ///< channel of x, if tokens.values hold the positions
  std::vector<std::uint8_t> token_keep, keep;  ///< nonzero = keep, by token and by rank; empty: all
  std::size_t num_ranked = 0;  ///< tokens that have a rank: all, or with an order the kept ones

  /// Returns the tokens by rank. They live as long as the surface is left alone.
  TokenRows rows() const;

  const std::uint8_t* keep_or_null() const { return keep.empty() ? nullptr : keep.data(); }
};

/// Ranks the tokens that surface.tokens holds.
/// @param mask    [surface.tokens.num_points] nonzero = keep, or null
/// @param engine  lends the memory for sorting
void order_surface(Curve curve, const std::optional<FixedGrid>& grid, const std::uint8_t* mask,
                   Engine& engine, Surface& surface);

}  // namespace pcl_attention
