// SPDX-License-Identifier: BSD-3-Clause
// Keys and values of every point: what a convolution runs over.
#include <algorithm>
#include <utility>

#include "exec/surface_pass.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;

void zero_columns(const SurfaceLayout& layout, TileRange range, std::size_t channels, float* tile) {
  for (std::size_t p = 0; p < range.count; ++p)
    if (!layout.takes_part(range.first + p))
      for (std::size_t c = 0; c < channels; ++c) tile[c * kTilePoints + p] = 0.0F;
}

/// Some rows of the keys or values of all points, [inner × kTilePoints] per tile.
struct PointRows {
  const float* tiles;
  std::size_t inner, first, count;
};

/// Writes one tap: x[c][j] = row c of the point with rank slot · stride + tap.
void gather_tap(const SurfaceLayout& layout, const PointRows& points, TileRange slots, std::size_t stride,
                std::size_t tap, float* x) {
  for (std::size_t j = 0; j < slots.count; ++j) {
    const std::size_t row = layout.row((slots.first + j) * stride + tap), column = row % kTilePoints;
    const float* tile = points.tiles + (row - column) * points.inner + points.first * kTilePoints;
    const bool counts = layout.takes_part(row);
    for (std::size_t c = 0; c < points.count; ++c)
      x[c * kTilePoints + j] = counts ? tile[c * kTilePoints + column] : 0.0F;
  }
}

/// Writes y = b + Σ_t W_t x_t for one head and one tile of slots.
void convolve(const PackedConvolution& map, const SurfaceLayout& layout, const PointRows& points,
              TileRange slots, const AnswerScratch& scratch, float* y) {
  float *x = scratch.query, *sum = scratch.heads, *next = scratch.normed;
  for (std::size_t c = 0; c < points.count; ++c)
    std::fill_n(sum + c * kTilePoints, kTilePoints, map.bias()[c]);
  for (std::size_t tap = 0; tap < map.stride(); ++tap) {
    gather_tap(layout, points, slots, map.stride(), tap, x);
    simd::linear(map.tap(tap), x, simd::Finish::add, sum, next);
    std::swap(sum, next);
  }
  std::copy_n(sum, points.count * kTilePoints, y);
}

}  // namespace

/// Writes the keys and values of a tile's points to scratch; rows that take no part are zero.
void SurfacePass::project_points(const PackedLayer& layer, std::size_t tile,
                                 const TileScratch& scratch) const {
  const TileRange range(tile, layout_.total());
  const float* seen = attention_input(network_.config, layer, tile_of(tile), scratch.answer.normed);
  simd::linear(layer.key.map(), seen, simd::Finish::none, nullptr, scratch.keys);
  simd::linear(layer.value.map(), seen, simd::Finish::none, nullptr, scratch.key_values);
  if (layout_.all_take_part(range)) return;
  zero_columns(layout_, range, network_.key_width(), scratch.keys);
  zero_columns(layout_, range, network_.value_width(), scratch.key_values);
}

void SurfacePass::store_convolution(std::size_t index) {
  const PackedLayer& layer = network_.layers[index];
  const std::size_t inner = network_.key_width(), width = network_.config.head_width;
  const std::size_t tile_size = kTilePoints * inner;
  float* keys = workspace_.point_keys.reserve(layout_.num_tiles() * tile_size);
  float* values = workspace_.point_values.reserve(layout_.num_tiles() * tile_size);
  for_each_block(layout_.num_tiles(), 1, [&](std::size_t tile, std::size_t) {
    const TileScratch& scratch = workspace_.scratch();
    project_points(layer, tile, scratch);
    std::copy_n(scratch.keys, tile_size, keys + tile * tile_size);
    std::copy_n(scratch.key_values, tile_size, values + tile * tile_size);
  });
  start_keys(network_.config.projected_rows(index, layout_.num_ranks()));
  for_each_block(summary_.count, kTilePoints, [&](std::size_t begin, std::size_t) {
    const TileScratch& scratch = workspace_.scratch();
    const TileRange slots(begin / kTilePoints, summary_.count);
    for (std::size_t head = 0; head < network_.config.heads; ++head) {
      const std::size_t row = head * width;
      convolve(network_.convolutions[layer.key_projection[head]], layout_, {keys, inner, row, width}, slots,
               scratch.answer, scratch.keys + row * kTilePoints);
      convolve(network_.convolutions[layer.value_projection[head]], layout_, {values, inner, row, width},
               slots, scratch.answer, scratch.key_values + row * kTilePoints);
    }
    simd::store_keys(scratch.keys, scratch.key_values, nullptr, begin, slots.count, summary_);
  });
}

}  // namespace pcl_attention
