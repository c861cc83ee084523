// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "pcl_attention/encoder.h"
#include "pcl_attention/model.h"
#include "support/clouds.h"

namespace pcl_attention::test {

/// A small network over x, y, z and one attribute; every test changes what it is about.
inline ModelConfig small_config() {
  ModelConfig config;
  config.name = "small";
  config.input.fields = {{"x"}, {"y"}, {"z"}, {"intensity"}};
  config.input.normalization = Normalization::unit_sphere;
  config.position_encoding = PositionEncoding::xyz;
  config.position_cell = 0.2;
  config.channels = 12;
  config.heads = 3;
  config.head_width = 5;
  config.depth = 2;
  config.feed_forward = 10;
  config.projection.k = 7;
  config.projection.length = 64;
  config.projection.length_policy = LengthPolicy::resample;
  config.projection.anchor_grid = {2, 3, 2};
  return config;
}

inline ModelConfig with_projection(Projection kind, Sharing sharing = Sharing::layerwise) {
  ModelConfig config = small_config();
  config.projection.kind = kind;
  config.projection.sharing = sharing;
  return config;
}

inline ModelConfig with_mechanism(Mechanism mechanism) {
  ModelConfig config = small_config();
  config.mechanism = mechanism;
  return config;
}

inline ModelConfig with_convolution(std::vector<std::size_t> strides, Sharing sharing = Sharing::layerwise) {
  ModelConfig config = with_projection(Projection::convolution, sharing);
  config.projection.strides = std::move(strides);
  return config;
}

/// `position` beyond the plain grid.
inline ModelConfig with_position(bool learned_anchors, std::size_t mlp_width) {
  ModelConfig config = with_projection(Projection::position);
  config.projection.learned_anchors = learned_anchors;
  config.projection.mlp_width = mlp_width;
  return config;
}

inline ModelConfig with_slots(Mechanism mechanism) {
  ModelConfig config = with_mechanism(mechanism);
  config.slots = 9;
  return config;
}

inline ModelConfig with_kernel(Similarity similarity) {
  ModelConfig config = with_mechanism(Mechanism::kernel);
  config.kernel.similarity = similarity;
  config.kernel.features = 21;
  return config;
}

/// Attention alone on the rows of small_fields() as they come: no embedding, norm, residual or feed-forward.
inline ModelConfig attention_alone(ModelConfig config) {
  config.input.normalization = Normalization::none;
  config.embedding = Embedding::identity;
  config.position_encoding = PositionEncoding::none;
  config.channels = 4;
  config.depth = 1;
  config.feed_forward = 0;
  config.norm = NormPlacement::none;
  return config;
}

/// The same mechanism as a decoder of two pairs of layers.
inline ModelConfig as_decoder(ModelConfig config) {
  config.decoder = true;
  config.depth = 4;
  if (config.projection.strides.size() > 1) config.projection.strides = {70, 4, 3, 5};
  return config;
}

/// A mechanism with its name and what it promises without an order.
struct NamedConfig {
  std::string name;
  ModelConfig config;
  bool ignores_order = false;  ///< permutation error is rounding even without an order
  std::size_t least_points = 1;
  double tolerance = 2e-6;  ///< of float against double

  bool needs_order() const { return config.mechanism == Mechanism::anchored; }
};

inline void PrintTo(const NamedConfig& named, std::ostream* out) { *out << named.name; }

/// Of similarities that come near zero: denominators down to 1e-5 of their bound are divided by.
constexpr double kNearZero = 1e-4;

/// Every mechanism and projection there is.
inline std::vector<NamedConfig> all_mechanisms() {
  return {{"full", with_mechanism(Mechanism::full), true},
          {"learned", with_projection(Projection::learned)},
          {"learned_none", with_projection(Projection::learned, Sharing::none)},
          {"learned_headwise", with_projection(Projection::learned, Sharing::headwise)},
          {"learned_kv", with_projection(Projection::learned, Sharing::kv)},
          {"fixed", with_projection(Projection::fixed)},
          {"convolution", with_convolution({3}), false, 3},
          {"convolution_none", with_convolution({70, 4}, Sharing::none), false, 70},
          {"smooth", with_projection(Projection::smooth)},
          {"smooth_none", with_projection(Projection::smooth, Sharing::none)},
          {"smooth_headwise", with_projection(Projection::smooth, Sharing::headwise)},
          {"segment_mean", with_projection(Projection::segment_mean)},
          {"position", with_projection(Projection::position), true},
          {"position_learned", with_position(true, 0), true},
          {"position_mlp", with_position(false, 6), true},
          {"position_learned_mlp", with_position(true, 9), true},
          {"inducing", with_slots(Mechanism::inducing), true},
          {"anchored", with_slots(Mechanism::anchored)},
          {"elu", with_kernel(Similarity::elu), true},
          {"quadratic", with_kernel(Similarity::quadratic), true, 1, kNearZero},
          {"rebased", with_kernel(Similarity::rebased), true},
          {"taylor", with_kernel(Similarity::taylor), true},
          {"favor", with_kernel(Similarity::favor), true}};
}

inline std::vector<std::string> small_fields() { return {"x", "y", "z", "intensity"}; }

/// Returns the rows of all points.
inline std::vector<double> encode(Encoder& encoder, const FloatCloud& cloud,
                                  const std::function<void(EncodeInput&)>& change = {}) {
  EncodeInput input;
  input.surface = cloud.view();
  if (change) change(input);
  std::size_t count = input.surface.num_points();
  if (input.query_points != nullptr) count = input.num_query_points;
  if (input.queries != nullptr) count = input.queries->num_points();
  std::vector<double> rows(count * encoder.model().config().output_width());
  encoder.encode(input, rows.data());
  return rows;
}

inline Encoder make_encoder(const ModelPtr& model, Device device, std::optional<Curve> order = {},
                            unsigned num_threads = 0) {
  EncoderOptions options;
  options.device = device;
  options.order = order;
  options.num_threads = num_threads;
  return Encoder(model, options);
}

}  // namespace pcl_attention::test
