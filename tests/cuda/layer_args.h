// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <list>

#include "attention/layer_weights.h"
#include "attention/networks.h"
#include "cuda/kernel_test.h"
#include "kernels/answer.h"

namespace pcl_attention::test {

/// Returns a random model whose norms are not 1 and 0.
inline ModelPtr model_with_norms(const ModelConfig& config, std::uint64_t seed) {
  TensorMap tensors = make_random_model(config, seed)->tensors();
  std::uint32_t next = 100;
  for (auto& [name, tensor] : tensors)
    if (name.find("norm") != std::string::npos)
      for (float& x : tensor.values) x += random_numbers(1, ++next, 0.5F)[0];
  return std::make_shared<const Model>(config, std::move(tensors));
}

/// A layer's maps as the kernels take them.
class LayerArgs {
 public:
  LayerArgs(const Model& model, std::size_t layer) : weights(layer_weights(model, layer)) {
    const ModelConfig& config = model.config();
    maps.query = map(weights.query);
    maps.output = map(weights.output);
    maps.output_second = map(weights.output_second);
    maps.query_norm = norm(weights.query_norm);
    maps.attention_norm = norm(weights.attention_norm);
    maps.feed_forward_norm = norm(weights.feed_forward_norm);
    maps.feed_forward_in = map(weights.feed_forward_in);
    maps.feed_forward_out = map(weights.feed_forward_out);
    maps.resample = map(weights.resample);
    maps.norm = config.norm == NormPlacement::post  ? gpu::NormAt::post
                : config.norm == NormPlacement::pre ? gpu::NormAt::pre
                                                    : gpu::NormAt::none;
    maps.activation = config.activation == Activation::gelu ? gpu::Finish::gelu : gpu::Finish::relu;
  }

  /// Returns Wᵀ of [out × in] in memory of this object.
  gpu::LinearMap map(const LinearWeights& linear) {
    if (linear.weight == nullptr) return {};
    const std::size_t out = linear.weight->shape[0], in = linear.weight->values.size() / out;
    Numbers& transposed = memory_.emplace_back(out * in);
    for (std::size_t i = 0; i < out * in; ++i) transposed[i % in * out + i / in] = linear.weight->values[i];
    return {transposed.data(), linear.bias == nullptr ? nullptr : linear.bias->values.data(),
            static_cast<std::uint32_t>(in), static_cast<std::uint32_t>(out)};
  }

  LayerWeights weights;
  gpu::AnswerMaps maps;

 private:
  static gpu::NormMap norm(const NormWeights& of) {
    if (of.weight == nullptr) return {};
    return {of.weight->values.data(), of.bias->values.data()};
  }

  std::list<Numbers> memory_;
};

}  // namespace pcl_attention::test
