// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "pcl_attention/config.h"

namespace pcl_attention {

/// Returns the floating-point operations of one layer for n points: products and sums of its matrices;
/// exponentials, norms and activations are left out.
double layer_flops(const ModelConfig& config, std::size_t layer, std::size_t n);

/// Returns the bytes that one layer works on for n points: its trained numbers, rows before it, and the keys
/// and values of its slots, in float32. Never n × k.
double layer_bytes(const ModelConfig& config, std::size_t layer, std::size_t n);

/// Returns the sum over all layers, embedding and output head included.
double model_flops(const ModelConfig& config, std::size_t n);

}  // namespace pcl_attention
