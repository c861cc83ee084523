// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "attention/engine.h"
#include "cuda/description.h"
#include "cuda/engine.h"
#include "ordering/keys.h"

namespace pcl_attention {

/// Returns a model as the CUDA engine takes it; its numbers lie in the model, which outlives the result.
cuda::NetworkDescription describe_network(const Model& model);

/// Returns a frame as the CUDA engine takes it.
cuda::FrameDescription describe_frame(const ModelConfig& config, const Frame& frame);

/// Returns rows to be sorted as the CUDA engine takes them.
/// @param differing  the bits in which two keys may differ
cuda::OrderDescription describe_order(const OrderInput& input, const CellGrid& cells, Curve curve,
                                      std::uint64_t differing);

/// Writes the rows to where the engine wants them.
void stage(const OrderInput& input, const cuda::TokenStaging& staging);

/// Writes the frame's tokens to where the engine wants them.
void stage(const ModelConfig& config, const Frame& frame, const cuda::FrameStaging& staging);

}  // namespace pcl_attention
