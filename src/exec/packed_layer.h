// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "attention/layer_weights.h"
#include "exec/buffer.h"
#include "exec/packed_slots.h"
#include "simd/kernels.h"

namespace pcl_attention {

/// A linear map packed for the instruction set in use.
class PackedLinear {
 public:
  PackedLinear() = default;

  /// Packs (W x + b) · scale; a missing bias is zero. Nothing if there is no map.
  explicit PackedLinear(const LinearWeights& weights, float scale = 1.0F);

  bool exists() const { return map_.rows != 0; }
  const simd::Linear& map() const { return map_; }
  std::size_t rows() const { return map_.rows; }

 private:
  Buffer<float> packed_;
  std::vector<float> bias_;
  simd::Linear map_;
};

/// A convolution [D × D × s] packed tap by tap.
class PackedConvolution {
 public:
  explicit PackedConvolution(const LinearWeights& weights);

  const Tensor* tensor() const { return tensor_; }
  std::size_t width() const { return tensor_->shape[0]; }
  std::size_t stride() const { return tensor_->shape[2]; }
  const std::vector<float>& bias() const { return bias_; }

  /// Returns W[:, :, t] without bias.
  simd::Linear tap(std::size_t t) const;

 private:
  const Tensor* tensor_;
  Buffer<float> packed_;  ///< [s][packed D × D]
  std::vector<float> bias_, zeros_;
};

/// A layer's weights, packed once. log2(e)/√D is folded into the query map where scores go through a softmax.
struct PackedLayer {
  PackedLayer(const Model& model, std::size_t layer);

  PackedLinear query, key, value, output, output_second, feed_forward_in, feed_forward_out, resample;
  NormWeights attention_norm, feed_forward_norm, query_norm, key_norm;
  PackedSlots learned;      ///< of `inducing`, `anchored` and `favor`
  PackedFeatures features;  ///< of the other kernels
  std::vector<std::size_t> key_projection,
      value_projection;  ///< [H] index of a stored projection of the network
  std::size_t width_in = 0, width_out = 0, slots = 0;
};

/// What a layer keeps of all points: slots, or sums of features with their z and least denominators.
struct LayerSummary {
  simd::KeyValues slots;
  const float* mass = nullptr;   ///< null: slots are attended to
  const float* least = nullptr;  ///< see simd::FeatureSums
};

/// The points of a tile that are answered.
struct AskedTile {
  const float* x = nullptr;          ///< [width_in × kTilePoints]
  std::size_t count = 0;             ///< points of the tile
  const float* limits = nullptr;     ///< [kTilePoints] how many slots a point sees; null: all
  const float* positions = nullptr;  ///< [3 × kTilePoints] placed; of `anchored`
};

/// Tiles that answer_tile needs beside input and output, [rows × kTilePoints] each.
struct AnswerScratch {
  float *normed = nullptr, *query = nullptr, *heads = nullptr, *row = nullptr, *inner = nullptr,
        *resampled = nullptr, *attend = nullptr;
};

/// Writes the next layer's tile y [width_out]; see reference/layer.h for the formula. y may be the tile
/// asked. Returns how many of its denominators vanish, over all heads.
std::size_t answer_tile(const ModelConfig& config, const PackedLayer& layer, const LayerSummary& summary,
                        const AskedTile& asked, const AnswerScratch& scratch, float* y);

/// The two ends of answer_tile: writes scratch.query from x, and y from scratch.heads and x.
void ask_tile(const ModelConfig& config, const PackedLayer& layer, const float* x,
              const AnswerScratch& scratch);
void reply_tile(const ModelConfig& config, const PackedLayer& layer, const float* x,
                const AnswerScratch& scratch, float* y);

/// Writes the keys of all heads for what attention sees of a tile, behind their LayerNorm with `rebased`.
void keys_of_tile(const PackedLayer& layer, const float* seen, float* keys);

/// Returns what attention sees of a tile: LN(x) in `normed` with pre-norm, else x.
const float* attention_input(const ModelConfig& config, const PackedLayer& layer, const float* x,
                             float* normed);

}  // namespace pcl_attention
