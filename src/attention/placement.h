// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "attention/engine.h"

namespace pcl_attention {

/// Points per leaf of every sum over points. A constant of the algorithm: changing it changes bits.
constexpr std::size_t kChunkPoints = 1024;

/// Returns how the model places these tokens' coordinates: centroid and scale of the kept rows.
/// Sums run in the rows' sequence over fixed chunks, merged by tree_reduce.
/// @param tokens  in rank order; positions relative to `origin`, null only where nothing is summed
/// @param keep    [tokens.n] or null: all
Placement make_placement(const InputSpec& input, const TokenRows& tokens, const std::uint8_t* keep,
                         const std::array<double, 3>& origin);

/// A box along the axes.
struct AnchorBox {
  std::array<double, 3> low{}, high{};
};

/// Returns the box over which `position` lays its grid: mean ± √3 standard deviations of the kept rows' raw
/// positions, which evenly spread points fill. Their outermost points would move every anchor. An axis along
/// which all agree has no extent. Sums as above.
AnchorBox anchor_box(const TokenRows& tokens, const std::uint8_t* keep);

}  // namespace pcl_attention
