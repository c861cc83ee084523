// SPDX-License-Identifier: BSD-3-Clause
// Keys and values of `full`, made again for every group of tiles that attends to them: two tiles of points at
// a time, so that none but the points themselves are kept.
#include "exec/surface_pass.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;

/// Points of a tile whose keys stand in the summary.
struct Columns {
  std::uint8_t index[kTilePoints];
  std::size_t count = 0;
};

/// @param zeroed  points that take no part stand there, too
Columns columns_of(const SurfaceLayout& layout, TileRange range, bool zeroed) {
  Columns columns;
  for (std::size_t p = 0; p < range.count; ++p)
    if (zeroed || layout.takes_part(range.first + p))
      columns.index[columns.count++] = static_cast<std::uint8_t>(p);
  return columns;
}

}  // namespace

void SurfacePass::count_slots() {
  const bool zeroed = network_.config.masked_points == MaskedPoints::zeroed;
  std::vector<std::size_t>& first = workspace_.first_slot;
  first.assign(layout_.num_tiles() + 1, 0);
  for (std::size_t tile = 0; tile < layout_.num_tiles(); ++tile)
    first[tile + 1] = first[tile] + columns_of(layout_, TileRange(tile, layout_.total()), zeroed).count;
}

simd::KeyValues SurfacePass::load_piece(const PackedLayer& layer, std::size_t piece,
                                        const TileScratch& scratch) const {
  const bool zeroed = network_.config.masked_points == MaskedPoints::zeroed;
  const std::size_t begin = piece * kPieceTiles, end = std::min(begin + kPieceTiles, layout_.num_tiles());
  simd::KeyValues keys = network_.piece_shape();
  keys.keys = scratch.group.keys;
  keys.values = scratch.group.values;
  keys.before = workspace_.first_slot[begin];
  for (std::size_t tile = begin; tile < end; ++tile) {
    const Columns columns = columns_of(layout_, TileRange(tile, layout_.total()), zeroed);
    if (columns.count == 0) continue;
    project_points(layer, tile, scratch);
    const bool all = columns.count == TileRange(tile, layout_.total()).count;
    simd::store_keys(scratch.keys, scratch.key_values, all ? nullptr : columns.index, keys.count,
                     columns.count, keys);
    keys.count += columns.count;
  }
  return keys;
}

}  // namespace pcl_attention
