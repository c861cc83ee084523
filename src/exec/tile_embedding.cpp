// SPDX-License-Identifier: BSD-3-Clause
#include "exec/tile_embedding.h"

#include <algorithm>
#include <cmath>

namespace pcl_attention {
namespace {

using simd::kTilePoints;
constexpr double kRankBase = 100000.0, kAxisBase = 10000.0, kTurn = 6.283185307179586;

}  // namespace

TileEmbedding::TileEmbedding(const Model& model)
    : config_(model.config()), embedding_(linear_weights(model, "embedding")) {
  const double width = static_cast<double>(config_.channels);
  const std::size_t block = 2 * ((config_.channels + 5) / 6);
  for (std::size_t i = 0; i < block; i += 2)
    axis_factor_.push_back(std::pow(kAxisBase, -static_cast<double>(i) / static_cast<double>(block)) /
                           (kTurn * config_.position_cell));
  for (std::size_t i = 0; i < config_.channels / 2; ++i)
    rank_factor_.push_back(std::pow(kRankBase, -2.0 * static_cast<double>(i) / width) / kTurn);
}

void TileEmbedding::place(const TokenRows& tokens, const Placement& placement, TileRange range,
                          double* positions) {
  std::fill_n(positions, 3 * kTilePoints, 0.0);
  for (std::size_t p = 0; p < range.count; ++p) {
    const float* raw = tokens.position(range.first + p);
    for (std::size_t axis = 0; axis < 3; ++axis)
      positions[axis * kTilePoints + p] = placement.place(static_cast<double>(raw[axis]), axis);
  }
}

void TileEmbedding::embed(const TokenRows& tokens, const Frame& frame, TileRange range,
                          std::size_t num_ranked, float* values, double* positions, float* x) const {
  const std::size_t d = config_.input.num_channels();
  std::fill_n(values, d * kTilePoints, 0.0F);
  for (std::size_t p = 0; p < range.count; ++p) {
    const float* raw = tokens.values + d * tokens.row_of(range.first + p);
    for (std::size_t c = 0; c < d; ++c) values[c * kTilePoints + p] = raw[c];
  }
  if (tokens.positions != nullptr) {
    place(tokens, frame.placement, range, positions);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int channel = frame.position_channels[axis];
      if (channel < 0) continue;
      std::transform(positions + axis * kTilePoints, positions + (axis + 1) * kTilePoints,
                     values + static_cast<std::size_t>(channel) * kTilePoints,
                     [](double value) { return static_cast<float>(value); });
    }
  }
  if (embedding_.exists())
    simd::linear(embedding_.map(), values, simd::Finish::none, nullptr, x);
  else
    std::copy_n(values, d * kTilePoints, x);
  if (config_.position_encoding == PositionEncoding::xyz) add_axes(positions, x);
  if (config_.position_encoding == PositionEncoding::rank && num_ranked > range.first)
    add_ranks(range.first, std::min(range.count, num_ranked - range.first), positions, x);
}

void TileEmbedding::add_axes(const double* positions, float* x) const {
  const std::size_t block = 2 * axis_factor_.size();
  for (std::size_t c = 0; c < config_.channels; c += 2) {
    float* sine = x + c * kTilePoints;
    simd::add_sinusoid(positions + c / block * kTilePoints, axis_factor_[c % block / 2], sine,
                       c + 1 < config_.channels ? sine + kTilePoints : nullptr);
  }
}

void TileEmbedding::add_ranks(std::size_t first, std::size_t count, double* ranks, float* x) const {
  for (std::size_t p = 0; p < kTilePoints; ++p) ranks[p] = static_cast<double>(first + p);
  const std::size_t half = rank_factor_.size();
  for (std::size_t i = 0; i < half; ++i) {
    alignas(64) float sine[kTilePoints] = {}, cosine[kTilePoints] = {};
    simd::add_sinusoid(ranks, rank_factor_[i], sine, cosine);
    for (std::size_t p = 0; p < count; ++p) {
      x[i * kTilePoints + p] += sine[p];
      x[(half + i) * kTilePoints + p] += cosine[p];
    }
  }
}

}  // namespace pcl_attention
