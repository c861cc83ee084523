// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "exec/buffer.h"
#include "exec/tile.h"
#include "exec/tile_projection.h"

namespace pcl_attention {

/// The cosines cos(π m (r + ½) / n), m < M, of `smooth` as panels: a cosine takes the place of a slot.
///
/// An angle of a tile is that of its first rank's border plus that of a place in the tile, the same for all
/// tiles: cos(a + b) = cos a cos b − sin a sin b.
class CosineBasis {
 public:
  /// Finds the angles of the places in a tile, for a surface of num_ranks > 0.
  void prepare(std::size_t num_cosines, std::size_t num_ranks);

  /// Returns floats of scratch that panels() needs.
  static std::size_t scratch_size(std::size_t num_cosines) { return 2 * padded_slots(num_cosines); }

  /// Returns the bytes that prepare() takes.
  static std::size_t size(std::size_t num_cosines) {
    return 2 * Buffer<float>::size(padded_slots(num_cosines) * simd::kTilePoints);
  }

  /// Writes the panels of a tile; rows that take no part are zero. Absolute error ≤ 3e-7.
  void panels(const SurfaceLayout& layout, TileRange range, float* scratch, float* out) const;

 private:
  std::size_t num_cosines_ = 0, num_ranks_ = 0;
  Buffer<float> cosines_, sines_;  ///< panels of b
};

}  // namespace pcl_attention
