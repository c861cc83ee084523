// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "pcl_attention/encoder.h"
#include "pcl_attention/export.h"
#include "pcl_attention/heads.h"

namespace pcl_attention {

/// Returns [input.surface.num_points()] the attention each point receives in the last layer, mean over heads:
/// Σ_j = 1, as AttentionHead::received has it. 0 for masked points, NaN for invalid ones.
/// @throws what AttentionHeads::compute() throws.
/// Same bits for any number of threads. Time and memory of the reference engine: O(n²) for `full`.
PCL_ATTENTION_EXPORT std::vector<double> attention_received(AttentionHeads& heads, const EncodeInput& input,
                                                            const EncodeControls& controls = {});

}  // namespace pcl_attention
