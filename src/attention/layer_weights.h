// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "pcl_attention/model.h"

namespace pcl_attention {

/// y = W x + b. `bias` is null where the map has none; both are null where there is no map.
struct LinearWeights {
  const Tensor* weight = nullptr;  ///< [out × in]
  const Tensor* bias = nullptr;    ///< [out]
};

/// y = (x − mean) / √(variance + 1e-5) · weight + bias.
struct NormWeights {
  const Tensor* weight = nullptr;
  const Tensor* bias = nullptr;
};

/// The tensors of one layer by their part in it. Points into the model.
struct LayerWeights {
  LinearWeights query, key, value;       ///< [H·D × C], head h in rows h·D …
  const Tensor* slots = nullptr;         ///< [k × H·D] queries of `inducing` and `anchored`
  const Tensor* anchor_sigma = nullptr;  ///< [H] where it is learned
  const Tensor* features = nullptr;      ///< [m × D] ω of `favor`
  NormWeights query_norm, key_norm;      ///< [H·D] of `rebased`
  LinearWeights output, output_second;   ///< one or two output matrices
  NormWeights attention_norm;
  LinearWeights feed_forward_in, feed_forward_out;
  LinearWeights resample;  ///< where the layer changes the width
  NormWeights feed_forward_norm;
  /// The stored projections that the layer uses, each once: [k × N] with bias [k] or none, or a convolution
  /// [D × D × stride] with bias [D].
  std::vector<LinearWeights> projections;
  /// [H] which of `projections` is E and F of a head.
  std::vector<std::size_t> key_projection, value_projection;
};

/// Returns the tensors of layer `layer`; the model outlives the result.
LayerWeights layer_weights(const Model& model, std::size_t layer);

/// Returns σ of the anchors per head [H], as the configuration or the layer's tensor has it.
std::vector<double> anchor_sigmas(const ModelConfig& config, const LayerWeights& weights);

/// Returns a linear map by name; both members are null if the model has no such tensor.
LinearWeights linear_weights(const Model& model, const std::string& name);

}  // namespace pcl_attention
