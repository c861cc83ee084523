// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/embedding.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kEmbeddingThreads = 256;
constexpr double kTwoPi = 6.283185307179586476925;

__device__ inline std::size_t lies_at(const EmbedRows& p, std::size_t token) {
  return p.row == nullptr ? token : p.row[token];
}

/// Returns coordinate `axis` of p'.
__device__ inline double placed(const EmbedRows& p, std::size_t token, unsigned axis) {
  const double raw = static_cast<double>(p.positions[lies_at(p, token) * p.position_stride + axis]);
  return (raw - p.placement[axis]) * p.placement[3];
}

/// Returns input channel c, p' where it is a position.
__device__ inline float input_value(const EmbedRows& p, std::size_t token, unsigned c) {
  if (p.positions != nullptr)
    for (unsigned axis = 0; axis < 3; ++axis)
      if (p.position_channels[axis] == static_cast<std::int32_t>(c))
        return static_cast<float>(placed(p, token, axis));
  return p.values[lies_at(p, token) * p.input_channels + c];
}

__device__ inline float embedded(const EmbedRows& p, std::size_t token, unsigned channel) {
  if (p.embedding.weight == nullptr) return input_value(p, token, channel);
  float sum = 0.0F;
  for (unsigned c = 0; c < p.input_channels; ++c)
    sum = fmaf(input_value(p, token, c), p.embedding.weight[std::size_t{c} * p.channels + channel], sum);
  return p.embedding.bias == nullptr ? sum : sum + p.embedding.bias[channel];
}

/// Returns the sine or cosine of an angle in turns; whole turns are taken off before anything is rounded.
__device__ inline float wave(double turns, bool sine) {
  const float half_turns = static_cast<float>(2.0 * (turns - rint(turns)));
  return sine ? sin_pi(half_turns) : cos_pi(half_turns);
}

/// [sin(r·w_0) … | cos(r·w_0) …]; an odd last channel gets nothing.
__device__ inline float rank_encoding(const EmbedRows& p, std::size_t rank, unsigned channel) {
  const unsigned half = p.channels / 2;
  if (channel >= 2 * half) return 0.0F;
  return wave(static_cast<double>(rank) * p.rank_turns[channel % half], channel < half);
}

/// Blocks x | y | z of pairs sine, cosine, cut to the channels.
__device__ inline float axis_encoding(const EmbedRows& p, std::size_t token, unsigned channel) {
  const unsigned block = 2 * p.axis_pairs, within = channel % block;
  return wave(placed(p, token, channel / block) * p.axis_turns[within / 2], within % 2 == 0);
}

__global__ void embed_rows_kernel(EmbedRows p) {
  const std::size_t i = global_thread(), token = i / p.channels;
  const unsigned channel = static_cast<unsigned>(i % p.channels);
  if (token >= p.n + p.padded) return;
  float value = 0.0F;
  if (token < p.n) {
    value = embedded(p, token, channel);
    if (p.rank_turns != nullptr && token < p.num_ranked) value += rank_encoding(p, token, channel);
    if (p.axis_turns != nullptr) value += axis_encoding(p, token, channel);
  }
  p.x[i] = value;
}

__global__ void place_rows_kernel(EmbedRows p) {
  const std::size_t i = global_thread();
  if (i < 3 * p.n) p.places[i] = static_cast<float>(placed(p, i / 3, static_cast<unsigned>(i % 3)));
}

void embed_rows(const EmbedRows& rows, Stream stream) {
  const std::size_t count = (rows.n + rows.padded) * rows.channels;
  if (count != 0)
    GPU_LAUNCH(embed_rows_kernel, num_blocks(count, kEmbeddingThreads), kEmbeddingThreads, 0, stream, rows);
  if (rows.places != nullptr && rows.n != 0)
    GPU_LAUNCH(place_rows_kernel, num_blocks(3 * rows.n, kEmbeddingThreads), kEmbeddingThreads, 0, stream,
               rows);
}

double axis_turns(std::uint32_t pair, std::uint32_t channels, double cell) {
  const double pairs = static_cast<double>(num_axis_pairs(channels));
  return std::pow(10000.0, -static_cast<double>(pair) / pairs) / (kTwoPi * cell);
}

double rank_turns(std::uint32_t pair, std::uint32_t channels) {
  return std::pow(100000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(channels)) / kTwoPi;
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
