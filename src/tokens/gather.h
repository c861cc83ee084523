// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
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

/// @throws as gather() does for a cloud that disagrees with itself or an origin that does not fit.
void check_gathering(const CloudView& cloud, const GatherOptions& options);

/// Returns the channels of x, y, z; −1: not a channel.
std::array<int, 3> position_channels(const std::vector<TokenColumn>& columns);

/// Returns what gather() subtracts from coordinates, and the largest step between the coordinates that are
/// kept, see Tokens::coordinate_step. @param extent  of the valid points
std::array<double, 3> choose_origin(const InputSpec& input, const GatherOptions& options,
                                    const Extent& extent);
double largest_step(const std::vector<TokenColumn>& columns, const Extent& extent,
                    const std::array<double, 3>& origin);

}  // namespace pcl_attention
