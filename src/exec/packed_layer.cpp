// SPDX-License-Identifier: BSD-3-Clause
#include "exec/packed_layer.h"

#include <algorithm>
#include <cmath>

namespace pcl_attention {
namespace {

void norm(const NormWeights& weights, const float* x, float* y) {
  simd::layer_norm(x, weights.weight->values.size(), weights.weight->values.data(),
                   weights.bias->values.data(), y);
}

float query_scale(const ModelConfig& config) {
  const double width = static_cast<double>(config.head_width), log2e = 1.4426950408889634;
  if (config.mechanism != Mechanism::kernel) return static_cast<float>(log2e / std::sqrt(width));
  const bool favor = config.kernel.similarity == Similarity::favor;
  return favor ? static_cast<float>(log2e / std::pow(width, 0.25)) : 1.0F;
}

/// Writes the heads' rows; returns how many denominators vanish.
std::size_t answer_heads(const PackedLayer& layer, const LayerSummary& summary, const AskedTile& asked,
                         const AnswerScratch& scratch) {
  if (summary.mass != nullptr)
    return simd::answer_features(layer.features.map,
                                 {summary.slots, summary.mass, summary.least, layer.features.terms.data()},
                                 scratch.query, asked.count, scratch.attend, scratch.heads);
  simd::attend(summary.slots, {scratch.query, asked.limits, asked.positions}, scratch.heads, scratch.attend);
  return 0;
}

/// Writes the output map of the heads' rows, plus `residual` where it is given.
void join_heads(const PackedLayer& layer, const float* residual, const AnswerScratch& scratch, float* y) {
  using simd::Finish;
  const float* last = scratch.heads;
  if (layer.output_second.exists()) {
    simd::linear(layer.output.map(), scratch.heads, Finish::none, nullptr, scratch.inner);
    last = scratch.inner;
  }
  const PackedLinear& output = layer.output_second.exists() ? layer.output_second : layer.output;
  simd::linear(output.map(), last, residual == nullptr ? Finish::none : Finish::add, residual, y);
}

}  // namespace

PackedLinear::PackedLinear(const LinearWeights& weights, float scale) {
  if (weights.weight == nullptr) return;
  const std::size_t rows = weights.weight->shape[0], columns = weights.weight->shape[1];
  bias_.assign(rows, 0.0F);
  for (std::size_t i = 0; weights.bias != nullptr && i < rows; ++i)
    bias_[i] = weights.bias->values[i] * scale;
  float* packed = packed_.reserve(simd::packed_size(rows, columns));
  simd::pack_matrix(weights.weight->values.data(), rows, columns, columns, 1, scale, packed);
  map_ = {packed, bias_.data(), rows, columns};
}

PackedConvolution::PackedConvolution(const LinearWeights& weights)
    : tensor_(weights.weight), bias_(weights.bias->values), zeros_(width(), 0.0F) {
  const std::size_t size = simd::packed_size(width(), width());
  float* packed = packed_.reserve(stride() * size);
  for (std::size_t t = 0; t < stride(); ++t)
    simd::pack_matrix(tensor_->values.data() + t, width(), width(), width() * stride(), stride(), 1.0F,
                      packed + t * size);
}

simd::Linear PackedConvolution::tap(std::size_t t) const {
  return {packed_.data() + t * simd::packed_size(width(), width()), zeros_.data(), width(), width()};
}

PackedLayer::PackedLayer(const Model& model, std::size_t index) {
  const LayerWeights weights = layer_weights(model, index);
  query = PackedLinear(weights.query, query_scale(model.config()));
  key = PackedLinear(weights.key);
  value = PackedLinear(weights.value);
  output = PackedLinear(weights.output);
  output_second = PackedLinear(weights.output_second);
  feed_forward_in = PackedLinear(weights.feed_forward_in);
  feed_forward_out = PackedLinear(weights.feed_forward_out);
  resample = PackedLinear(weights.resample);
  query_norm = weights.query_norm;
  key_norm = weights.key_norm;
  if (weights.slots != nullptr || weights.features != nullptr) learned = PackedSlots(model.config(), weights);
  if (model.config().mechanism == Mechanism::kernel && weights.features == nullptr)
    features = PackedFeatures(model.config());
  attention_norm = weights.attention_norm;
  feed_forward_norm = weights.feed_forward_norm;
  width_in = model.config().width_in(index);
  width_out = model.config().width_out(index);
  slots = model.config().projected_rows(index);
}

const float* attention_input(const ModelConfig& config, const PackedLayer& layer, const float* x,
                             float* normed) {
  if (config.norm != NormPlacement::pre) return x;
  norm(layer.attention_norm, x, normed);
  return normed;
}

void keys_of_tile(const PackedLayer& layer, const float* seen, float* keys) {
  simd::linear(layer.key.map(), seen, simd::Finish::none, nullptr, keys);
  if (layer.key_norm.weight != nullptr) norm(layer.key_norm, keys, keys);
}

void ask_tile(const ModelConfig& config, const PackedLayer& layer, const float* x,
              const AnswerScratch& scratch) {
  const float* seen = attention_input(config, layer, x, scratch.normed);
  simd::linear(layer.query.map(), seen, simd::Finish::none, nullptr, scratch.query);
  if (layer.query_norm.weight != nullptr) norm(layer.query_norm, scratch.query, scratch.query);
}

void reply_tile(const ModelConfig& config, const PackedLayer& layer, const float* x,
                const AnswerScratch& scratch, float* y) {
  using simd::Finish;
  const bool post = config.norm == NormPlacement::post, bare = config.norm == NormPlacement::none;
  join_heads(layer, bare ? nullptr : x, scratch, scratch.row);
  if (post) norm(layer.attention_norm, scratch.row, scratch.row);
  if (config.feed_forward == 0) {
    std::copy_n(scratch.row, layer.width_in * simd::kTilePoints, y);
    return;
  }
  const float* seen = scratch.row;
  if (!post) {
    norm(layer.feed_forward_norm, scratch.row, scratch.normed);
    seen = scratch.normed;
  }
  const Finish activation = config.activation == Activation::gelu ? Finish::gelu : Finish::relu;
  simd::linear(layer.feed_forward_in.map(), seen, activation, nullptr, scratch.inner);
  const float* kept = scratch.row;
  if (layer.resample.exists()) {
    simd::linear(layer.resample.map(), scratch.row, Finish::none, nullptr, scratch.resampled);
    kept = scratch.resampled;
  }
  simd::linear(layer.feed_forward_out.map(), scratch.inner, Finish::add, kept, y);
  if (post) norm(layer.feed_forward_norm, y, y);
}

std::size_t answer_tile(const ModelConfig& config, const PackedLayer& layer, const LayerSummary& summary,
                        const AskedTile& asked, const AnswerScratch& scratch, float* y) {
  ask_tile(config, layer, asked.x, scratch);
  const std::size_t vanished = answer_heads(layer, summary, asked, scratch);
  reply_tile(config, layer, asked.x, scratch, y);
  return vanished;
}

}  // namespace pcl_attention
