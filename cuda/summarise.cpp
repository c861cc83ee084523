// SPDX-License-Identifier: BSD-3-Clause
// What a layer keeps of all points, by mechanism.
#include <algorithm>
#include <cmath>

#include "cuda/run.h"

namespace pcl_attention::cuda {
namespace {

constexpr double kLeastColumnSum = 1e-6;  // of `position`: below it no point reaches the anchor

std::uint32_t narrow(std::size_t size) { return static_cast<std::uint32_t>(size); }

}  // namespace

void Run::summarise(std::size_t layer) {
  Surface& surface = network_.decoder && layer % 2 == 0 ? queries_ : surface_;
  const LayerDescription& description = network_.layers[layer];
  const float* seen = surface.memory.x;
  if (network_.norm == NormPlace::pre) {
    gpu::norm_rows({seen, work_.seen, weights_.layers()[layer].maps.attention_norm, surface.counts.total(),
                    narrow(description.width_in)},
                   stream_);
    seen = work_.seen;
  }
  summary_ = {};
  summary_.keys = work_.keys;
  summary_.values = work_.values;
  summary_.key_stride = network_.key_width();
  summary_.slots = num_slots(network_, layer, surface.counts);
  summary_.score_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(network_.head_width)));
  summary_.causal = description.causal;
  summarise(layer, surface, seen);
}

void Run::summarise(std::size_t layer, Surface& surface, const float* seen) {
  if (keeps_points(network_.summarising)) make_point_keys(layer, surface, seen);
  switch (network_.summarising) {
    case Summarising::points:
      return summarise_points(layer, surface);
    case Summarising::convolution:
      return convolve(layer, surface);
    case Summarising::segments:
    case Summarising::position:
    case Summarising::stored:
      return summarise_rows(layer, surface, seen);
    case Summarising::cosines:
      return summarise_cosines(layer, surface, seen);
    case Summarising::direct:
      return summarise_direct(layer, surface);
    case Summarising::slots:
    case Summarising::favor:
      return summarise_slots(layer, surface);
    case Summarising::features:
      return summarise_features(layer, surface);
  }
}

gpu::SurfaceView Run::view(const Surface& surface) const {
  const TokenCounts& counts = surface.counts;
  return {surface.tokens.keep, counts.n, counts.num_ranked, counts.padded};
}

void Run::make_point_keys(std::size_t layer, const Surface& surface, const float* seen) {
  const DeviceLayer& maps = weights_.layers()[layer];
  const std::size_t rows = surface.counts.total();
  apply(maps.key, seen, rows, nullptr, work_.point_keys);
  apply(maps.value, seen, rows, nullptr, work_.point_values);
  if (maps.key_norm.weight != nullptr)
    gpu::norm_rows({work_.point_keys, work_.point_keys, maps.key_norm, rows, narrow(network_.key_width())},
                   stream_);
}

gpu::PointSums Run::sums_of(const Surface& surface, const float* x, std::size_t x_stride,
                            std::size_t channels, std::size_t batches, std::size_t slots) const {
  gpu::PointSums sums;
  sums.surface = view(surface);
  sums.x = x;
  sums.x_stride = x_stride;
  sums.channels = narrow(channels);
  sums.batches = narrow(batches);
  sums.slots = narrow(slots);
  sums.partial = work_.partial;
  return sums;
}

/// Sums of each head's columns of x [· × H · width].
gpu::PointSums Run::sums_of_heads(const Surface& surface, const float* x, std::size_t width,
                                  std::size_t slots) const {
  gpu::PointSums sums = sums_of(surface, x, network_.heads * width, width, network_.heads, slots);
  sums.batch_step = narrow(width);
  return sums;
}

/// Merges the chunks' sums. Returns how they are turned into rows, one batch behind the other.
gpu::FinishSums Run::merged(const gpu::PointSums& sums) {
  gpu::merge_chunks(work_.partial, gpu::num_chunks(sums.surface.total()), sums.sums_size(), work_.sums,
                    stream_);
  gpu::FinishSums finish;
  finish.sums = work_.sums;
  finish.batches = sums.batches;
  finish.slots = sums.slots;
  finish.channels = sums.channels;
  finish.row_stride = sums.channels;
  finish.batch_step = std::size_t{sums.slots} * sums.channels;
  return finish;
}

/// Writes each head's sums to its columns of rows [slots × H · channels].
void Run::finish_heads(const gpu::PointSums& sums, float* rows, const float* const* bias, bool normalised,
                       const float* largest) {
  gpu::FinishSums finish = merged(sums);
  finish.rows = rows;
  finish.row_stride = network_.heads * sums.channels;
  finish.batch_step = sums.channels;
  finish.bias = bias;
  finish.normalised = normalised;
  finish.largest = largest;
  if (normalised) finish.slot_bias = work_.slot_bias;
  gpu::finish_sums(finish, stream_);
}

/// E x and F x of what attention sees of the points, then keys and values.
void Run::summarise_rows(std::size_t layer, Surface& surface, const float* seen) {
  const LayerDescription& description = network_.layers[layer];
  const DeviceLayer& maps = weights_.layers()[layer];
  const bool stored = network_.summarising == Summarising::stored;
  const std::size_t e = stored ? description.key_projection[0] : 0,
                    f = stored ? description.value_projection[0] : 0;
  const gpu::PointSums sums = sums_of(surface, seen, description.width_in, description.width_in,
                                      e == f ? 1 : 2, description.num_slots);
  sum_rows(layer, surface, sums);
  gpu::FinishSums finish = merged(sums);
  finish.rows = work_.sum_rows;
  if (!stored) {
    finish.normalised = true;
    finish.least = kLeastColumnSum;
    finish.slot_bias = work_.slot_bias;
    if (network_.summarising == Summarising::position) finish.masked = work_.counts;
    summary_.slot_bias = work_.slot_bias;
  }
  gpu::finish_sums(finish, stream_);
  apply(maps.key, work_.sum_rows, sums.slots, stored ? weights_.projection(e).bias : nullptr, work_.keys);
  apply(maps.value, work_.sum_rows + (sums.batches - 1) * finish.batch_step, sums.slots,
        stored ? weights_.projection(f).bias : nullptr, work_.values);
}

void Run::sum_rows(std::size_t layer, Surface& surface, const gpu::PointSums& sums) {
  if (network_.summarising == Summarising::segments) return gpu::sum_segments(sums, stream_);
  if (network_.summarising == Summarising::stored) {
    const std::size_t length = network_.projections[network_.layers[layer].key_projection[0]].weight.columns;
    const bool resample = frame_.resample && length != sums.surface.num_ranks();
    return gpu::sum_stored(sums, {weights_.layers()[layer].shared, length, resample}, stream_);
  }
  const bool learned = weights_.anchors() != nullptr;
  gpu::PositionWeights position;
  position.places = surface.memory.places;
  position.anchors = learned ? weights_.anchors() : surface.memory.anchors;
  position.factor = learned ? weights_.anchor_factor() : surface.memory.anchor_factor;
  position.hidden = surface.memory.hidden;
  position.mlp = weights_.mlp_out();
  position.largest = work_.point_largest;
  position.inverse_sum = work_.point_inverse;
  gpu::sum_positions(sums, position, stream_);
}

/// By linearity (E X) W = (N/n) Σ_m c_m (X_m W), X_m the points' sums weighted by cosines.
void Run::summarise_cosines(std::size_t layer, Surface& surface, const float* seen) {
  const LayerDescription& description = network_.layers[layer];
  const DeviceLayer& maps = weights_.layers()[layer];
  const std::size_t cosines = network_.projections[0].weight.columns, inner = network_.key_width();
  const gpu::PointSums sums = sums_of(surface, seen, description.width_in, description.width_in, 1, cosines);
  gpu::sum_cosines(sums, stream_);
  gpu::FinishSums finish = merged(sums);
  finish.rows = work_.sum_rows;
  finish.scale = static_cast<double>(network_.length) /
                 static_cast<double>(std::max<std::size_t>(1, sums.surface.num_ranks()));
  gpu::finish_sums(finish, stream_);
  float* const keys = work_.cosine_rows;
  float* const values = keys + cosines * inner;
  apply(maps.key, work_.sum_rows, cosines, nullptr, keys);
  apply(maps.value, work_.sum_rows, cosines, nullptr, values);
  const auto mix = [&](std::size_t projection, std::size_t head, const float* from, float* to) {
    const DeviceProjection& stored = weights_.projection(projection);
    gpu::MatrixProduct product;
    product.a = stored.weight;
    product.a_stride = cosines;
    product.b = from + head * network_.head_width;
    product.b_stride = product.c_stride = inner;
    product.row_bias = stored.bias;
    product.c = to + head * network_.head_width;
    product.rows = description.num_slots;
    product.inner = narrow(cosines);
    product.columns = narrow(network_.head_width);
    gpu::matrix_product(product, stream_);
  };
  for (std::size_t head = 0; head < network_.heads; ++head) {
    mix(description.key_projection[head], head, keys, work_.keys);
    mix(description.value_projection[head], head, values, work_.values);
  }
}

/// Own E and F per head, of the points' keys and values.
void Run::summarise_direct(std::size_t layer, Surface& surface) {
  const LayerDescription& description = network_.layers[layer];
  const DeviceLayer& maps = weights_.layers()[layer];
  const std::size_t length = network_.projections[description.key_projection[0]].weight.columns;
  const auto sum = [&](const float* x, const float* const* weights, const float* const* bias, float* rows) {
    const gpu::PointSums sums = sums_of_heads(surface, x, network_.head_width, description.num_slots);
    const bool resample = frame_.resample && length != sums.surface.num_ranks();
    gpu::sum_stored(sums, {weights, length, resample}, stream_);
    finish_heads(sums, rows, bias, false, nullptr);
  };
  sum(work_.point_keys, maps.key_weights, maps.key_bias, work_.keys);
  sum(work_.point_values, maps.value_weights, maps.value_bias, work_.values);
}

/// Softmax over points; of favor Σ φ(k) v / Σ φ(k), with log Σ φ(k) beside.
void Run::summarise_slots(std::size_t layer, Surface& surface) {
  const LayerDescription& description = network_.layers[layer];
  const DeviceLayer& maps = weights_.layers()[layer];
  const bool favor = network_.summarising == Summarising::favor;
  const double width = static_cast<double>(network_.head_width);
  if (favor) summary_.score_scale = static_cast<float>(std::pow(width, -0.25));
  gpu::SlotWeights weights;
  weights.keys = work_.point_keys;
  weights.key_stride = network_.key_width();
  weights.head_width = narrow(network_.head_width);
  weights.queries = maps.slot_queries;
  weights.own_queries = !favor;
  weights.score_scale = summary_.score_scale;
  if (favor) weights.square_scale = static_cast<float>(-0.5 / std::sqrt(width));
  if (network_.anchored) {
    weights.places = surface.memory.places;
    weights.anchors = surface.memory.anchors;
    weights.distance_factor = maps.distance_factor;
  }
  weights.largest = work_.largest;
  weights.chunk_largest = work_.chunk_largest;
  const gpu::PointSums values =
      sums_of_heads(surface, work_.point_values, network_.value_width, description.num_slots);
  if (favor) {
    gpu::sum_slots(values, weights, stream_);
  } else {
    const gpu::PointSums keys =
        sums_of_heads(surface, work_.point_keys, network_.head_width, description.num_slots);
    gpu::sum_slots(keys, weights, stream_);
    finish_heads(keys, work_.keys, nullptr, true, nullptr);
    gpu::sum_slots_again(values, weights, stream_);
  }
  finish_heads(values, work_.values, nullptr, true, favor ? work_.largest : nullptr);
  summary_.slot_bias = work_.slot_bias;
  summary_.slot_bias_step = description.num_slots;
  if (favor) {
    summary_.keys = maps.omega;
    summary_.own_keys = false;
    summary_.key_stride = network_.head_width;
  }
  if (network_.anchored) {
    summary_.slots = surface.counts.num_anchors;
    summary_.anchors = surface.memory.anchors;
    summary_.distance_factor = maps.distance_factor;
  }
}

void Run::summarise_features(std::size_t layer, Surface& surface) {
  const gpu::PointSums sums =
      sums_of_heads(surface, work_.point_values, network_.value_width, network_.layers[layer].num_slots);
  gpu::sum_features(sums, {work_.point_keys, network_.key_width(), weights_.features()}, stream_);
  merged(sums);
  const FeatureDescription& features = network_.features;
  gpu::FinishFeatures finish;
  finish.sums = work_.sums;
  finish.map = weights_.features();
  finish.heads = narrow(network_.heads);
  finish.value_width = narrow(network_.value_width);
  finish.square = features.elu || features.constant != 0.0 ? 0.0 : features.square;
  finish.values = work_.values;
  finish.mass = work_.mass;
  finish.least = work_.least;
  gpu::finish_features(finish, stream_);
  summary_.keys = nullptr;
  summary_.features = weights_.features();
  summary_.mass = work_.mass;
  summary_.least = work_.least;
}

/// Every row is a slot; those that take no part are masked, or zero.
void Run::summarise_points(std::size_t, Surface& surface) {
  const gpu::SurfaceView rows = view(surface);
  summary_.keys = work_.point_keys;
  summary_.values = work_.point_values;
  if (rows.keep == nullptr && rows.num_ranked == rows.n) return;  // all take part
  if (network_.zeroed) {
    gpu::zero_left_out(rows, work_.point_keys, narrow(network_.key_width()), stream_);
    gpu::zero_left_out(rows, work_.point_values, narrow(network_.values_width()), stream_);
    return;
  }
  gpu::mask_bias(rows, work_.slot_bias, stream_);
  summary_.slot_bias = work_.slot_bias;
}

void Run::convolve(std::size_t layer, Surface& surface) {
  const DeviceLayer& maps = weights_.layers()[layer];
  gpu::Convolution convolution;
  convolution.surface = view(surface);
  convolution.heads = narrow(network_.heads);
  convolution.width = narrow(network_.head_width);
  convolution.stride = network_.layers[layer].stride;
  const auto run = [&](const float* x, const float* const* weights, const float* const* bias, float* rows) {
    convolution.x = x;
    convolution.maps = weights;
    convolution.bias = bias;
    convolution.rows = rows;
    gpu::convolve(convolution, stream_);
  };
  run(work_.point_keys, maps.key_weights, maps.key_bias, work_.keys);
  run(work_.point_values, maps.value_weights, maps.value_bias, work_.values);
}

}  // namespace pcl_attention::cuda
