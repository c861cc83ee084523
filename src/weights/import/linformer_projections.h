// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pcl_attention/config.h"
#include "weights/import/state_dict.h"

namespace pcl_attention {

/// E and F of one head as the file holds them.
struct HeadProjections {
  std::string name_e, name_f;            ///< for messages
  Tensor weight_e, weight_f;             ///< [k × N], or of a convolution [D × D × stride]
  std::optional<Tensor> bias_e, bias_f;  ///< [k] or [D]
};

/// [layer][head]
using Projections = std::vector<std::vector<HeadProjections>>;

/// Returns the sharing mode of these projections: the given one, or the one with the fewest matrices that
/// the copies agree with. @throws ModelError naming two tensors that should be the same and differ.
Sharing find_sharing(const Projections& projections, const std::optional<Sharing>& given);

/// Adds each projection once, under the names of the model. Sets k, k_reduce_by_layer and length, or the
/// strides. @throws ModelError naming a tensor whose shape does not fit the others.
void add_projections(const Projections& projections, ModelConfig& config, TensorMap& tensors);

}  // namespace pcl_attention
