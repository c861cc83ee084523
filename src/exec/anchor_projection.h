// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "exec/packed_layer.h"
#include "exec/tile_projection.h"

namespace pcl_attention {

/// What `position` learns, packed.
struct PackedPosition {
  explicit PackedPosition(const Model& model);

  const Tensor* anchors = nullptr;  ///< [k × 3]
  PackedLinear mlp_in, mlp_out;     ///< scores in base 2
};

/// E(p) with learned anchors, or an MLP over anchors of a grid: scores of every anchor, then softmax.
class AnchorProjection {
 public:
  /// Places the anchors of this frame.
  void prepare(const ProjectionConfig& config, const PackedPosition& learned, const SurfaceLayout& layout,
               const Placement& placement);

  /// Returns floats of scratch that panels() needs.
  static std::size_t scratch_size(std::size_t num_slots, std::size_t mlp_width);

  /// Writes the panels of a tile.
  /// @param positions  [3 × kTilePoints] placed
  void panels(const PackedPosition& learned, const SurfaceLayout& layout, TileRange range,
              const double* positions, float* scratch, float* out) const;

 private:
  void place_learned(const Tensor& anchors, double sigma);
  void place_grid();

  std::size_t num_anchors_ = 0;
  std::vector<float> anchors_;  ///< [3 × k]
  std::array<float, 3> factor_{};
  GridProjection grid_;
};

}  // namespace pcl_attention
