// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "pcl_attention/neighbourhood.h"

namespace pcl_attention {

constexpr std::size_t kNeighbourhoodFields = 14;

/// One number for each of neighbourhood_fields().
using NeighbourhoodRow = std::array<double, kNeighbourhoodFields>;

/// Where a number of the row goes.
struct NeighbourhoodChannel {
  std::size_t field = 0;    ///< of neighbourhood_fields()
  std::size_t channel = 0;  ///< of the tokens
  double scale = 1.0;
};

/// Returns the channels that an input names, in its sequence.
/// @throws ModelError for a name that neighbourhood_fields() lacks, and for more than one channel.
std::vector<NeighbourhoodChannel> neighbourhood_channels(const InputSpec& input);

}  // namespace pcl_attention
