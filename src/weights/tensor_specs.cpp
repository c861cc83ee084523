// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "pcl_attention/model.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

using Specs = std::vector<TensorSpec>;

void add_linear(Specs& specs, const std::string& name, std::size_t out, std::size_t in, bool bias = true) {
  specs.push_back({name + ".weight", {out, in}});
  if (bias) specs.push_back({name + ".bias", {out}});
}

void add_convolution(Specs& specs, const std::string& name, std::size_t width, std::size_t stride) {
  specs.push_back({name + ".weight", {width, width, stride}});
  specs.push_back({name + ".bias", {width}});
}

void add_norm(Specs& specs, const std::string& name, std::size_t width) {
  specs.push_back({name + ".weight", {width}});
  specs.push_back({name + ".bias", {width}});
}

void add_projections(Specs& specs, const ModelConfig& config, std::size_t layer) {
  if (!stores_projection(config)) return;
  const bool bias = config.projection.kind == Projection::learned;
  for (const std::string& name : new_projections(config, layer)) {
    if (config.projection.kind == Projection::convolution)
      add_convolution(specs, name, config.head_width, config.stride(layer));
    else
      add_linear(specs, name, config.projected_rows(layer), config.projection.length, bias);
  }
}

/// What `inducing`, `anchored` and `kernel` learn beside the maps of all mechanisms.
void add_slots(Specs& specs, const ModelConfig& config, const std::string& attention) {
  const std::size_t inner = config.heads * config.head_width;
  const bool anchored = config.mechanism == Mechanism::anchored;
  if (anchored || config.mechanism == Mechanism::inducing)
    specs.push_back({attention + ".slots.weight", {config.slots, inner}});
  if (anchored && config.anchor_sigmas.empty())
    specs.push_back({attention + ".anchor_sigma", {config.heads}});
  if (config.mechanism != Mechanism::kernel) return;
  if (config.kernel.similarity == Similarity::favor)
    specs.push_back({attention + ".features.weight", {config.kernel.features, config.head_width}});
  if (config.kernel.similarity == Similarity::rebased)
    for (const char* part : {".query_norm", ".key_norm"}) add_norm(specs, attention + part, inner);
}

void add_attention(Specs& specs, const ModelConfig& config, std::size_t layer) {
  const std::string name = attention_name(layer);
  const std::size_t width = config.width_in(layer), keys = config.heads * config.head_width;
  const std::size_t inner = config.heads * config.value_width();
  add_linear(specs, name + ".query", keys, width, false);
  add_linear(specs, name + ".key", keys, width, false);
  add_linear(specs, name + ".value", inner, width, false);
  add_projections(specs, config, layer);
  add_slots(specs, config, name);
  if (config.output_intermediate == 0) {
    add_linear(specs, name + ".output", width, inner);
  } else {
    add_linear(specs, name + ".output.0", config.output_intermediate, inner);
    add_linear(specs, name + ".output.1", width, config.output_intermediate);
  }
  if (config.norm != NormPlacement::none) add_norm(specs, name + ".norm", width);
}

void add_feed_forward(Specs& specs, const ModelConfig& config, std::size_t layer) {
  const std::string name = feed_forward_name(layer);
  const std::size_t in = config.width_in(layer), out = config.width_out(layer);
  add_linear(specs, name + ".0", config.feed_forward, in);
  add_linear(specs, name + ".1", out, config.feed_forward);
  if (in != out) add_linear(specs, name + ".resample", out, in);
  add_norm(specs, name + ".norm", config.norm == NormPlacement::post ? out : in);
}

}  // namespace

std::vector<TensorSpec> tensor_specs(const ModelConfig& config) {
  Specs specs;
  if (config.embedding == Embedding::linear)
    add_linear(specs, "embedding", config.channels, config.input.num_channels());
  for (std::size_t layer = 0; layer < config.depth; ++layer) {
    add_attention(specs, config, layer);
    if (config.feed_forward != 0) add_feed_forward(specs, config, layer);
  }
  if (config.head_output != 0) add_linear(specs, "head", config.head_output, config.channels);
  return specs;
}

}  // namespace pcl_attention
