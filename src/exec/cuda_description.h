// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "attention/engine.h"
#include "cuda/description.h"
#include "cuda/engine.h"
#include "ordering/keys.h"

namespace pcl_attention {

/// Returns a model as the CUDA engine takes it; its numbers lie in the model, which outlives the result.
cuda::NetworkDescription describe_network(const Model& model);

/// Returns a frame as the CUDA engine takes it.
cuda::FrameDescription describe_frame(const ModelConfig& config, const Frame& frame);

/// Returns a cloud on the device as the CUDA engine takes it. @param rows  where the output goes
cuda::PointsDescription describe_points(const DeviceCloud& cloud, float* rows);

/// Returns the rows to be sorted, counted.
cuda::TokenCounts count(const OrderInput& input);

/// Returns rows to be sorted as the CUDA engine takes them.
/// @param differing  the bits in which two keys may differ
cuda::OrderDescription describe_order(const cuda::TokenCounts& tokens, const CellGrid& cells, Curve curve,
                                      std::uint64_t differing);

/// How many of n points that take part are anchors, and how many ranks apart they lie.
struct Anchors {
  std::size_t count, stride;
};
inline Anchors anchors_of(const ModelConfig& config, std::size_t n) {
  return {std::min(config.slots, n), std::max<std::size_t>(1, n / config.slots)};
}

/// Writes the rows to where the engine wants them.
void stage(const OrderInput& input, const cuda::TokenStaging& staging);

/// Writes the frame's tokens to where the engine wants them.
void stage(const ModelConfig& config, const Frame& frame, const cuda::FrameStaging& staging);

}  // namespace pcl_attention
