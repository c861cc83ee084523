// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "pcl_attention/tokens.h"
#include "tokens/column.h"
#include "tokens/valid_points.h"

namespace pcl_attention {

/// Memory that one call of gather() leaves for the next.
struct GatherWorkspace {
  std::vector<TokenColumn> columns;
  std::vector<ValidBlock> blocks;
};

/// Fills `tokens` as pcl_attention::gather() does, on the threads of the present arena. Allocates only for
/// more points or columns than in any earlier call.
void gather(const CloudView& cloud, const InputSpec& input, const GatherOptions& options,
            GatherWorkspace& workspace, Tokens& tokens);

}  // namespace pcl_attention
