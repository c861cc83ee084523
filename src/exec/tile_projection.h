// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "attention/layer_weights.h"
#include "exec/buffer.h"
#include "exec/packed_slots.h"
#include "exec/tile.h"

namespace pcl_attention {

/// A stored E as panels of tiles, a row per rank; or the cosines of `smooth`, a row for each.
class StoredProjection {
 public:
  explicit StoredProjection(const LinearWeights& weights);

  const Tensor* tensor() const { return tensor_; }
  const Tensor* bias() const { return bias_; }

  /// Returns the panels of a tile; rows that take no part are zero. They lie in `scratch`, unless the stored
  /// ones are just these.
  const float* panels(const SurfaceLayout& layout, LengthPolicy policy, TileRange range,
                      float* scratch) const;

  /// Returns the panels of a tile of stored rows.
  const float* panels(std::size_t tile) const { return panels_.data() + offset_of(tile * simd::kTilePoints); }

 private:
  std::size_t offset_of(std::size_t rank) const;

  const Tensor *tensor_, *bias_;
  std::size_t length_, padded_;
  Buffer<float> panels_;  ///< [tiles of N ranks][padded / kSlotPanel][kTilePoints][kSlotPanel]
};

/// Clears the rows of panels that take no part.
void clear_left_out(const SurfaceLayout& layout, TileRange range, std::size_t padded, float* panels);

/// E(p) over a grid of anchors in anchor_box().
class GridProjection {
 public:
  /// Places the anchors of this frame.
  void prepare(const ProjectionConfig& config, const SurfaceLayout& layout, const Placement& placement);

  /// Returns the anchors of an axis and −log2(e)/2σ² there; 0 along an axis without extent.
  const std::vector<float>& anchors(std::size_t axis) const { return anchors_[axis]; }
  float factor(std::size_t axis) const { return factor_[axis]; }

  /// Returns floats of scratch that panels() needs.
  static std::size_t scratch_size(const ProjectionConfig& config);

  /// Writes the panels of a tile.
  /// @param positions  [3 × kTilePoints] placed
  void panels(const SurfaceLayout& layout, TileRange range, const double* positions, float* scratch,
              float* out) const;

 private:
  std::array<std::vector<float>, 3> anchors_;
  std::array<float, 3> factor_{};
};

}  // namespace pcl_attention
