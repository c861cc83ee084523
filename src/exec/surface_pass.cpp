// SPDX-License-Identifier: BSD-3-Clause
#include "exec/surface_pass.h"

#include <algorithm>

namespace pcl_attention {
namespace {

using simd::kTilePoints;

/// Adds `count` neighbouring points of a tile to the sum of each channel, point after point.
void add_run(const float* x, std::size_t channels, std::size_t count, std::size_t stride, double* sums) {
  constexpr std::size_t kAtOnce = 8;  // channels, so that additions need not wait for each other
  for (std::size_t first = 0; first < channels; first += kAtOnce) {
    double sum[kAtOnce] = {};
    const std::size_t some = std::min(kAtOnce, channels - first);
    for (std::size_t c = 0; c < some; ++c) sum[c] = sums[(first + c) * stride];
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t c = 0; c < some; ++c) sum[c] += static_cast<double>(x[(first + c) * kTilePoints + p]);
    for (std::size_t c = 0; c < some; ++c) sums[(first + c) * stride] = sum[c];
  }
}

}  // namespace

SurfacePass::SurfacePass(CpuNetwork& network, CpuWorkspace& workspace, const Frame& frame,
                         const SurfaceLayout& layout, SurfaceMemory& memory)
    : network_(network), workspace_(workspace), frame_(frame), layout_(layout), memory_(memory) {
  tiles_ = memory.tiles.reserve(tiles_size());
  if (is(Summarising::grid)) memory.grid.prepare(projection(), layout, frame.placement);
  if (is(Summarising::scored)) memory.scored.prepare(projection(), network.position, layout, frame.placement);
  if (is(Summarising::cosines))
    memory.cosines.prepare(projection().cosines, std::max<std::size_t>(1, layout.num_ranks()));
  if (network.config.mechanism == Mechanism::anchored) choose_anchors();
}

void SurfacePass::embed(std::size_t tile, const TileScratch& scratch, float* x) const {
  const TileRange range(tile, layout_.total());
  TileRange tokens = range;
  tokens.count = layout_.n() > range.first ? std::min(range.count, layout_.n() - range.first) : 0;
  if (tokens.count != 0)
    network_.embedding.embed(*layout_.tokens, frame_, tokens, layout_.num_ranked, scratch.values,
                             scratch.positions, x);
  for (std::size_t c = 0; tokens.count < kTilePoints && c < network_.config.channels; ++c)
    std::fill(x + c * kTilePoints + tokens.count, x + (c + 1) * kTilePoints, 0.0F);
}

void SurfacePass::add(std::size_t layer, std::size_t tile, const TileScratch& scratch, const float* x,
                      double* sums) const {
  const PackedLayer& packed = network_.layers[layer];
  const TileRange range(tile, layout_.total());
  const float* seen = attention_input(network_.config, packed, x, scratch.answer.normed);
  switch (network_.summarising) {
    case Summarising::points:
    case Summarising::convolve:
      return;  // see load_piece() and store_convolution()
    case Summarising::segments:
      return add_segments(packed, range, seen, sums);
    case Summarising::grid:
    case Summarising::scored:
      return add_positions(packed, range, scratch, seen, sums);
    case Summarising::stored:
      return add_stored(packed, range, scratch, seen, sums);
    case Summarising::direct:
      return add_direct(packed, range, scratch, seen, sums);
    case Summarising::cosines:
      return add_cosines(packed, range, scratch, seen, sums);
    case Summarising::slots:
      return add_slots(layer, range, scratch, seen, sums);
    case Summarising::features:
      return add_features(packed, range, scratch, seen, sums);
  }
}

void SurfacePass::merge(std::size_t layer, const double* from, double* to) const {
  if (is(Summarising::slots)) return network_.slot_sums(layer).merge(from, to);
  const std::size_t size = network_.sums_size(layer);
  for (std::size_t i = 0; i < size; ++i) to[i] += from[i];
}

void SurfacePass::add_segments(const PackedLayer& layer, TileRange range, const float* seen,
                               double* sums) const {
  const std::size_t slots = padded_slots(layer.slots), used = std::min(layer.slots, layout_.num_ranks());
  double* mass = sums + layer.width_in * slots;
  const auto takes_part = [&](std::size_t p) { return layout_.takes_part(range.first + p); };
  const auto slot_of = [&](std::size_t p) {
    return ((layout_.rank(range.first + p) + 1) * used - 1) / layout_.num_ranks();
  };
  for (std::size_t p = 0; p < range.count;) {
    if (!takes_part(p)) {
      ++p;
      continue;
    }
    const std::size_t slot = slot_of(p);
    std::size_t end = p + 1;
    while (end < range.count && takes_part(end) && slot_of(end) == slot) ++end;
    mass[slot] += static_cast<double>(end - p);
    add_run(seen + p, layer.width_in, end - p, slots, sums + slot);
    p = end;
  }
}

void SurfacePass::add_positions(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                                const float* seen, double* sums) const {
  const std::size_t slots = padded_slots(layer.slots);
  TileEmbedding::place(*layout_.tokens, frame_.placement, range, scratch.positions);
  if (is(Summarising::grid))
    memory_.grid.panels(layout_, range, scratch.positions, scratch.grid, scratch.panels);
  else
    memory_.scored.panels(network_.position, layout_, range, scratch.positions, scratch.grid, scratch.panels);
  simd::accumulate(seen, layer.width_in, range.count, scratch.panels, slots, sums,
                   sums + layer.width_in * slots);
}

void SurfacePass::add_cosines(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                              const float* seen, double* sums) const {
  memory_.cosines.panels(layout_, range, scratch.angles, scratch.panels);
  simd::accumulate(seen, layer.width_in, range.count, scratch.panels, padded_slots(projection().cosines),
                   sums);
}

void SurfacePass::add_stored(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                             const float* seen, double* sums) const {
  const std::size_t slots = padded_slots(layer.slots);
  const std::size_t e = layer.key_projection[0], f = layer.value_projection[0];
  for (std::size_t projection : {e, f}) {
    simd::accumulate(seen, layer.width_in, range.count, panels(projection, range, scratch), slots, sums);
    if (e == f) break;
    sums += layer.width_in * slots;
  }
}

const float* SurfacePass::panels(std::size_t projection, TileRange range, const TileScratch& scratch) const {
  return network_.projections[projection].panels(layout_, frame_.length_policy, range, scratch.panels);
}

void SurfacePass::add_direct(const PackedLayer& layer, TileRange range, const TileScratch& scratch,
                             const float* seen, double* sums) const {
  const std::size_t slots = padded_slots(layer.slots), width = network_.config.head_width;
  simd::linear(layer.key.map(), seen, simd::Finish::none, nullptr, scratch.keys);
  simd::linear(layer.value.map(), seen, simd::Finish::none, nullptr, scratch.key_values);
  for (std::size_t head = 0; head < network_.config.heads; ++head) {
    const std::size_t row = head * width;
    simd::accumulate(scratch.keys + row * kTilePoints, width, range.count,
                     panels(layer.key_projection[head], range, scratch), slots, sums + row * slots);
    simd::accumulate(scratch.key_values + row * kTilePoints, width, range.count,
                     panels(layer.value_projection[head], range, scratch), slots,
                     sums + (network_.key_width() + row) * slots);
  }
}

}  // namespace pcl_attention
