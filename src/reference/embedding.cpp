// SPDX-License-Identifier: BSD-3-Clause
#include "reference/embedding.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pcl_attention::reference {
namespace {

constexpr double kRankBase = 100000.0, kAxisBase = 10000.0;

/// [sin(r·w_0) … | cos(r·w_0) …], w_i = 100000^(−2i/C), as linformer-pytorch's PositionalEmbedding.
void add_rank_encoding(double rank, Eigen::Ref<RowVector> row) {
  const Index half = row.size() / 2;
  for (Index i = 0; i < half; ++i) {
    const double angle =
        rank * std::pow(kRankBase, -2.0 * static_cast<double>(i) / static_cast<double>(row.size()));
    row(i) += std::sin(angle);
    row(half + i) += std::cos(angle);
  }
}

/// Axis blocks of even width w = 2⌈C/6⌉, cut to C: sin, cos interleaved, w_i = 10000^(−2i/w).
void add_axis_encoding(const std::array<double, 3>& position, Eigen::Ref<RowVector> row) {
  const Index block = 2 * ((row.size() + 5) / 6);
  for (Index c = 0; c < row.size(); ++c) {
    const Index axis = c / block, within = c % block, pair = within / 2 * 2;
    const double angle = position[static_cast<std::size_t>(axis)] *
                         std::pow(kAxisBase, -static_cast<double>(pair) / static_cast<double>(block));
    row(c) += within % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }
}

}  // namespace

TokenEmbedding::TokenEmbedding(const Model& model)
    : config_(model.config()), embedding_(linear_weights(model, "embedding")) {}

Matrix TokenEmbedding::positions(const TokenRows& tokens, const Placement& placement, std::size_t begin,
                                 std::size_t end) const {
  if (tokens.positions == nullptr) return Matrix(0, 3);
  Matrix result(index(end - begin), 3);
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      result(index(i - begin), index(axis)) =
          placement.place(static_cast<double>(tokens.position(i)[axis]), axis);
  return result;
}

Matrix TokenEmbedding::rows(const TokenRows& tokens, const Frame& frame, std::size_t num_ranked,
                            std::size_t begin, std::size_t end) const {
  const std::size_t d = config_.input.num_channels();
  Matrix values(index(end - begin), index(d));
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t c = 0; c < d; ++c)
      values(index(i - begin), index(c)) = static_cast<double>(tokens.values[tokens.row_of(i) * d + c]);
  const Matrix placed = positions(tokens, frame.placement, begin, end);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (frame.position_channels[axis] >= 0 && placed.rows() != 0)
      values.col(frame.position_channels[axis]) = placed.col(index(axis));

  Matrix x = config_.embedding == Embedding::linear ? embedding_(values) : values;
  for (Index i = 0; i < x.rows(); ++i) {
    RowVector row = x.row(i);
    const std::size_t token = begin + static_cast<std::size_t>(i);
    if (config_.position_encoding == PositionEncoding::rank && token < num_ranked)
      add_rank_encoding(static_cast<double>(token), row);
    if (config_.position_encoding == PositionEncoding::xyz)
      add_axis_encoding({placed(i, 0) / config_.position_cell, placed(i, 1) / config_.position_cell,
                         placed(i, 2) / config_.position_cell},
                        row);
    x.row(i) = row;
  }
  return x;
}

}  // namespace pcl_attention::reference
