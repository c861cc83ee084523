// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "pcl_attention/heads.h"
#include "picture.h"

namespace pcl_attention::command {

/// Returns every head of every layer as a matrix, rows downward in canonical order and slots to the right,
/// each with its own colour scale from its smallest to its largest weight. Layers are rows of the picture.
Picture draw_heads(const AttentionHeadsResult& result, const std::string& title);

}  // namespace pcl_attention::command
