// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/export.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention {

struct RankingOptions {
  Curve curve = Curve::morton;
  std::optional<FixedGrid> grid;                   ///< fixed cells; default: the cloud's box
  std::map<std::string, std::string> field_names;  ///< "x", "y", "z" → cloud field
  bool zero_is_invalid = false;                    ///< points at (0, 0, 0) are "no return"
  unsigned num_threads = 0;                        ///< 0 = all
};

/// Returns the points with finite x, y, z by rank, without any model: rank → point of the cloud.
///
/// Order: as canonical_order(); points at the same place by the bytes of all fields, in the sequence of
/// the cloud's field list, `_` excepted. Points that still tie are alike in every byte with a name, so that
/// a shuffled cloud gives the same sequence of points. Curve::none gives them as they come.
/// @throws CloudError as gather() and canonical_order() do.
/// Same result for any number of threads. Memory 44 bytes per point. O(n) but for ties.
PCL_ATTENTION_EXPORT std::vector<std::uint32_t> ranked_points(const CloudView& cloud,
                                                              const RankingOptions& options = {});

}  // namespace pcl_attention
