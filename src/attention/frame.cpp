// SPDX-License-Identifier: BSD-3-Clause
#include "attention/frame.h"

#include <stdexcept>
#include <string>

#include "pcl_attention/error.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

constexpr const char* kPolicies =
    "\n  strict    the cloud must have exactly that many points"
    "\n  pad       fewer points: rows of zeros are added and take part, as in linformer-pytorch's Padder"
    "\n  slice     fewer points: the first rows of the projection are used"
    "\n  resample  any number: the projection is stretched over the points, linear between its rows";

void check_length(const ProjectionConfig& projection, LengthPolicy policy, std::size_t n) {
  if (n == projection.length || policy == LengthPolicy::resample) return;
  if (n < projection.length && policy != LengthPolicy::strict) return;
  throw ModelError("the model's stored projection is for " + std::to_string(projection.length) +
                   " points, the cloud has " + std::to_string(n) + "; choose a length policy:" + kPolicies);
}

bool is_convolution(const ModelConfig& config) {
  return config.mechanism == Mechanism::linformer && config.projection.kind == Projection::convolution;
}

void check_strides(const ModelConfig& config, std::size_t n) {
  for (std::size_t layer = 0; layer < config.depth; ++layer)
    if (n < config.stride(layer))
      throw ModelError("the convolution of layer " + std::to_string(layer) + " takes " +
                       std::to_string(config.stride(layer)) + " points at a time, the cloud has " +
                       std::to_string(n));
}

void check_ranks(const ModelConfig& config, LengthPolicy policy, std::size_t n) {
  if (stores_rows(config)) check_length(config.projection, policy, n);
  if (is_convolution(config)) check_strides(config, n);
}

}  // namespace

std::size_t num_padded(const ModelConfig& config, const Frame& frame, std::size_t num_ranked) {
  if (!stores_rows(config) || frame.length_policy != LengthPolicy::pad) return 0;
  return config.projection.length > num_ranked ? config.projection.length - num_ranked : 0;
}

void check_frame(const ModelConfig& config, const Frame& frame) {
  check_ranks(config, frame.length_policy, frame.num_ranked);
  if (config.decoder) {
    if (frame.queries == nullptr)
      throw std::invalid_argument("the model is a decoder: give the points it answers as queries");
    check_ranks(config, frame.length_policy, frame.num_ranked_queries);
    return;
  }
  const char* by_rank = config.position_encoding == PositionEncoding::rank ? "rank position encoding"
                        : config.causal != CausalMask::none                ? "causal mask"
                                                                           : nullptr;
  if (frame.queries != nullptr && by_rank != nullptr)
    throw std::invalid_argument(std::string("the model's ") + by_rank +
                                " has no rank for points that are not part of the surface");
}

int first_position_channel(const InputSpec& input) {
  int channel = 0;
  for (std::size_t i = 0; i + 2 < input.fields.size(); ++i) {
    if (input.fields[i].name == "x" && input.fields[i + 1].name == "y" && input.fields[i + 2].name == "z")
      return channel;
    channel += static_cast<int>(input.fields[i].channels);
  }
  return -1;
}

bool needs_positions(const ModelConfig& config, Curve order) {
  return order != Curve::none || config.position_encoding == PositionEncoding::xyz ||
         config.input.normalization != Normalization::none || config.mechanism == Mechanism::anchored ||
         (config.mechanism == Mechanism::linformer && config.projection.kind == Projection::position);
}

}  // namespace pcl_attention
