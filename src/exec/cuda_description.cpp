// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda_description.h"

#include <cmath>

#include "attention/layer_weights.h"

namespace pcl_attention {
namespace {

cuda::Matrix matrix(const Tensor* tensor) {
  if (tensor == nullptr) return {};
  std::size_t columns = 1;
  for (std::size_t i = 1; i < tensor->shape.size(); ++i) columns *= tensor->shape[i];
  return {tensor->values.data(), tensor->shape[0], columns};
}

const float* numbers(const Tensor* tensor) { return tensor == nullptr ? nullptr : tensor->values.data(); }

cuda::Linear linear(const LinearWeights& weights) { return {matrix(weights.weight), numbers(weights.bias)}; }

cuda::Norm norm(const NormWeights& weights) {
  if (weights.weight == nullptr) return {};
  return {numbers(weights.weight), numbers(weights.bias), weights.weight->values.size()};
}

cuda::Summarising summarising(const ModelConfig& config) {
  using cuda::Summarising;
  const ProjectionConfig& projection = config.projection;
  if (config.mechanism == Mechanism::full) return Summarising::points;
  if (config.mechanism == Mechanism::kernel)
    return config.kernel.similarity == Similarity::favor ? Summarising::favor : Summarising::features;
  if (config.mechanism != Mechanism::linformer) return Summarising::slots;
  switch (projection.kind) {
    case Projection::convolution:
      return Summarising::convolution;
    case Projection::segment_mean:
      return Summarising::segments;
    case Projection::position:
      return Summarising::position;
    case Projection::smooth:
      return Summarising::cosines;
    case Projection::learned:
    case Projection::fixed:
      break;
  }
  return projection.sharing == Sharing::none ? Summarising::direct : Summarising::stored;
}

cuda::FeatureDescription features(const ModelConfig& config) {
  const double width = static_cast<double>(config.head_width);
  const bool taylor = config.kernel.similarity == Similarity::taylor;
  cuda::FeatureDescription result;
  result.elu = config.kernel.similarity == Similarity::elu;
  result.square = (taylor ? 0.5 : 1.0) / width;
  if (taylor) result.linear = 1.0 / std::sqrt(width);
  if (taylor || config.kernel.constant) result.constant = 1.0;
  return result;
}

cuda::PositionDescription position(const Model& model) {
  const PositionWeights weights = position_weights(model);
  const ProjectionConfig& projection = model.config().projection;
  cuda::PositionDescription result;
  result.grid = projection.anchor_grid;
  result.sigma = projection.sigma;
  result.anchors = matrix(weights.anchors);
  result.mlp_in = linear(weights.mlp_in);
  result.mlp_out = linear(weights.mlp_out);
  return result;
}

/// Returns the index of a stored projection, which is added if it is new.
std::size_t index_of(const LinearWeights& weights, cuda::NetworkDescription& network) {
  std::vector<cuda::StoredProjection>& all = network.projections;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].weight.values == weights.weight->values.data()) return i;
  const std::vector<std::size_t>& shape = weights.weight->shape;
  all.push_back({matrix(weights.weight), shape.size() == 3 ? shape[2] : 1, numbers(weights.bias)});
  return all.size() - 1;
}

cuda::LayerDescription describe_layer(const Model& model, std::size_t index,
                                      cuda::NetworkDescription& network) {
  const ModelConfig& config = model.config();
  const LayerWeights weights = layer_weights(model, index);
  cuda::LayerDescription layer;
  layer.query = linear(weights.query);
  layer.key = linear(weights.key);
  layer.value = linear(weights.value);
  layer.output = linear(weights.output);
  layer.output_second = linear(weights.output_second);
  layer.feed_forward_in = linear(weights.feed_forward_in);
  layer.feed_forward_out = linear(weights.feed_forward_out);
  layer.resample = linear(weights.resample);
  layer.attention_norm = norm(weights.attention_norm);
  layer.feed_forward_norm = norm(weights.feed_forward_norm);
  layer.query_norm = norm(weights.query_norm);
  layer.key_norm = norm(weights.key_norm);
  layer.slots = matrix(weights.features != nullptr ? weights.features : weights.slots);
  if (config.mechanism == Mechanism::anchored)
    for (const double sigma : anchor_sigmas(config, weights))
      layer.distance_factor.push_back(static_cast<float>(-0.5 / (sigma * sigma)));
  for (const std::size_t e : weights.key_projection)
    layer.key_projection.push_back(index_of(weights.projections[e], network));
  for (const std::size_t f : weights.value_projection)
    layer.value_projection.push_back(index_of(weights.projections[f], network));
  layer.width_in = config.width_in(index);
  layer.width_out = config.width_out(index);
  layer.num_slots = config.projected_rows(index);
  if (network.summarising == cuda::Summarising::convolution) layer.stride = config.stride(index);
  layer.causal = config.is_causal(index);
  return layer;
}

}  // namespace

cuda::NetworkDescription describe_network(const Model& model) {
  const ModelConfig& config = model.config();
  cuda::NetworkDescription network;
  network.input_channels = config.input.num_channels();
  network.channels = config.channels;
  network.heads = config.heads;
  network.head_width = config.head_width;
  network.value_width = config.value_width();
  network.embedding = linear(linear_weights(model, "embedding"));
  network.head = linear(linear_weights(model, "head"));
  network.rank_encoding = config.position_encoding == PositionEncoding::rank;
  network.xyz_encoding = config.position_encoding == PositionEncoding::xyz;
  network.position_cell = config.position_cell;
  network.summarising = summarising(config);
  network.anchored = config.mechanism == Mechanism::anchored;
  network.zeroed = config.masked_points == MaskedPoints::zeroed;
  network.decoder = config.decoder;
  network.norm = config.norm == NormPlacement::post  ? cuda::NormPlace::post
                 : config.norm == NormPlacement::pre ? cuda::NormPlace::pre
                                                     : cuda::NormPlace::none;
  network.activation =
      config.activation == Activation::gelu ? cuda::Nonlinearity::gelu : cuda::Nonlinearity::relu;
  if (network.summarising == cuda::Summarising::position) network.position = position(model);
  if (network.summarising == cuda::Summarising::features) network.features = features(config);
  network.length = config.projection.length;
  for (std::size_t layer = 0; layer < config.depth; ++layer)
    network.layers.push_back(describe_layer(model, layer, network));
  return network;
}

}  // namespace pcl_attention
