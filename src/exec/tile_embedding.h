// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "attention/engine.h"
#include "exec/packed_layer.h"
#include "exec/tile.h"

namespace pcl_attention {

/// Turns raw tokens into the first layer's tile: placed channels, embedding, position encoding.
class TileEmbedding {
 public:
  explicit TileEmbedding(const Model& model);

  /// Writes the placed positions of a tile's points, zero behind the last.
  /// @param positions  [3 × kTilePoints]
  static void place(const TokenRows& tokens, const Placement& placement, TileRange range, double* positions);

  /// Writes the tile x [channels × kTilePoints] of a range of tokens. Token i < num_ranked has rank i;
  /// no rank encoding is added to the others.
  /// @param values     [input channels × kTilePoints] scratch
  /// @param positions  [3 × kTilePoints] scratch
  void embed(const TokenRows& tokens, const Frame& frame, TileRange range, std::size_t num_ranked,
             float* values, double* positions, float* x) const;

 private:
  void add_axes(const double* positions, float* x) const;
  void add_ranks(std::size_t first, std::size_t count, double* ranks, float* x) const;

  const ModelConfig& config_;
  PackedLinear embedding_;
  std::vector<double> axis_factor_, rank_factor_;  ///< turns per unit of position and per rank
};

}  // namespace pcl_attention
