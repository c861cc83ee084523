// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "attention/engine.h"

namespace pcl_attention {

/// Returns the rows of zeros that LengthPolicy::pad adds behind `num_ranked` tokens; 0 with any other
/// policy, and where no projection with a row per rank is stored.
std::size_t num_padded(const ModelConfig& config, const Frame& frame, std::size_t num_ranked);

/// Returns them for the surface.
inline std::size_t num_padded(const ModelConfig& config, const Frame& frame) {
  return num_padded(config, frame, frame.num_ranked);
}

/// Returns nothing.
/// @throws ModelError if a stored projection does not fit the number of ranked tokens under the frame's
///         length policy (the message explains the four policies in a line each), or if they are fewer than
///         a convolution's stride; std::invalid_argument for a rank position encoding or a causal mask with
///         foreign queries, and for a decoder without queries.
void check_frame(const ModelConfig& config, const Frame& frame);

/// Returns the channel of x if y and z follow it, so that values hold the positions; −1 otherwise.
int first_position_channel(const InputSpec& input);

/// Returns true if positions are used, be it as values.
bool needs_positions(const ModelConfig& config, Curve order);

}  // namespace pcl_attention
