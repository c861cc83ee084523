// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "attention/layer_loop.h"
#include "exec/surface_pass.h"

namespace pcl_attention {

/// Answers a group of at most kGroupTiles tiles from all points, with `full`: ask for each, attend() once,
/// reply to each. One thread.
class FullAnswer {
 public:
  FullAnswer(const CpuNetwork& network, const SurfacePass& source, std::size_t layer,
             const TileScratch& scratch)
      : network_(network), source_(source), layer_(network.layers[layer]), scratch_(scratch) {}

  /// Takes a tile's queries and limits; the tile itself may change until reply().
  void ask(const AskedTile& asked);

  /// Attends to the points piece by piece.
  /// @throws Cancelled
  void attend(const EncodeControls& controls);

  /// Writes the next layer's tile of the t-th that was asked. x is the tile as it was; y may be x.
  void reply(std::size_t t, const float* x, float* y) const;

 private:
  simd::Attending attending(std::size_t t) const;
  AnswerScratch answer(std::size_t t) const;

  const CpuNetwork& network_;
  const SurfacePass& source_;
  const PackedLayer& layer_;
  const TileScratch& scratch_;
  std::size_t count_ = 0;
  bool limited_ = false;
};

}  // namespace pcl_attention
