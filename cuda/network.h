// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/description.h"
#include "cuda/memory.h"
#include "kernels/answer.h"
#include "kernels/summary.h"

namespace pcl_attention::cuda {

/// A stored projection on the device.
struct DeviceProjection {
  const float* weight = nullptr;  ///< Eᵀ [N × k], cosines [k × M], or a convolution [taps × in × out]
  const float* bias = nullptr;
};

/// A layer's weights on the device.
struct DeviceLayer {
  gpu::AnswerMaps maps;
  gpu::LinearMap key, value;
  gpu::NormMap key_norm;
  const float* slot_queries = nullptr;     ///< [H] of [D × k], or [D × m] of favor
  const float* omega = nullptr;            ///< [m × D] of favor
  const float* distance_factor = nullptr;  ///< [H] −1/2σ²
  // Of stored projections, in device memory: [H] each, or E and F of all heads in `shared`.
  const float* const* key_weights = nullptr;
  const float* const* value_weights = nullptr;
  const float* const* key_bias = nullptr;
  const float* const* value_bias = nullptr;
  const float* const* shared = nullptr;  ///< [2] weights of E and F of the first head
};

/// The weights of a network on the device, uploaded once.
class DeviceNetwork {
 public:
  /// @param device  current
  DeviceNetwork(const NetworkDescription& network, int device, StreamHandle stream);

  const std::vector<DeviceLayer>& layers() const { return layers_; }
  const DeviceProjection& projection(std::size_t index) const { return projections_[index]; }
  const gpu::LinearMap& embedding() const { return embedding_; }
  const gpu::LinearMap& head() const { return head_; }
  const gpu::LinearMap& mlp_in() const { return mlp_in_; }
  const gpu::LinearMap& mlp_out() const { return mlp_out_; }
  const gpu::FeatureMap& features() const { return features_; }
  const double* axis_turns() const { return axis_turns_; }
  const double* rank_turns() const { return rank_turns_; }
  const float* anchors() const { return anchors_; }              ///< [k × 3] learned
  const float* anchor_factor() const { return anchor_factor_; }  ///< [3] of learned anchors

 private:
  class Packing;

  void pack(const NetworkDescription& network, Packing& packing);
  void pack_features(const NetworkDescription& network, Packing& packing);
  void pack_turns(const NetworkDescription& network, Packing& packing);
  DeviceLayer pack_layer(const NetworkDescription& network, const LayerDescription& layer, Packing& packing);

  DeviceMemory memory_;
  std::vector<DeviceLayer> layers_;
  std::vector<DeviceProjection> projections_;
  gpu::LinearMap embedding_, head_, mlp_in_, mlp_out_;
  gpu::FeatureMap features_;
  const double *axis_turns_ = nullptr, *rank_turns_ = nullptr;
  const float *anchors_ = nullptr, *anchor_factor_ = nullptr;
};

}  // namespace pcl_attention::cuda
