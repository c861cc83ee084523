// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "pcl_attention/export.h"

namespace pcl_attention {

/// How the rows of a cloud become one row. i runs over the rows without NaN.
enum class Pooling {
  mean,       ///< Σ_i y_i / m
  maximum,    ///< max_i y_i, per number
  attention,  ///< Σ_i w_i y_i / Σ_i w_i, w_i ≥ 0 the attention that point i receives
};

/// Rows to be pooled, in a sequence that does not depend on the order of the points.
struct PoolInput {
  const float* rows = nullptr;  ///< row-major
  std::size_t width = 0;
  const std::uint32_t* row_of_rank = nullptr;  ///< [num_ranked] which rows, as ranked_points() gives them
  std::size_t num_ranked = 0;
  const double* weights = nullptr;  ///< by row; of Pooling::attention only
};

/// Writes the pooled row to out [width]; NaN if no row is left, or if all weights are 0.
/// @throws std::invalid_argument for Pooling::attention without weights, or if one is negative or NaN where
///         the row is not.
/// Sums run in rank order in chunks that a tree merges, in double: same bits for any number of threads, and
/// under permutation if rows and ranks are. O(num_ranked · width).
PCL_ATTENTION_EXPORT void pool_rows(const PoolInput& input, Pooling pooling, float* out,
                                    unsigned num_threads = 0);

}  // namespace pcl_attention
