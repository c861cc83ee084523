// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include "attention/frame.h"
#include "attention/layer_loop.h"
#include "exec/full_answer.h"
#include "exec/surface_pass.h"

namespace pcl_attention {

/// One frame on its way through the layers; what run_layers() and run_decoder() call.
template <class T>
class CpuRun {
 public:
  /// @param out  output rows, as Engine::encode() takes them
  CpuRun(CpuNetwork& network, CpuWorkspace& workspace, const Frame& frame, T* out,
         const EncodeControls& controls)
      : network_(network),
        workspace_(workspace),
        frame_(frame),
        out_(out),
        controls_(controls),
        surface_(network, workspace, frame, surface_layout(), workspace.surface) {
    if (frame.queries != nullptr)
      queries_.emplace(network, workspace, frame, query_layout(), workspace.queries);
    if (frame.queries != nullptr && !network.config.decoder) embed_queries();
  }

  void summarise(std::size_t layer) {
    if (network_.config.decoder)
      pass(layer % 2 == 0 ? *queries_ : surface_, layer, layer < 2);
    else if (layer == 0)
      pass(surface_, layer, true);
    summary_ = source(layer).finish(layer);
  }

  void answer_surface(std::size_t layer) {
    if (network_.is_full()) return answer_all(layer, surface_, surface_.layout().total(), [](auto&&...) {});
    surface_.run(layer + 1, [&](std::size_t tile, const TileScratch& scratch, float* x) {
      check_cancel(controls_);
      answer(layer, asked(layer, surface_, TileRange(tile, surface_.layout().total()), scratch), scratch, x);
    });
  }

  void answer_queries(std::size_t layer) {
    const bool last = layer + 1 == network_.config.depth;
    const auto take = [&](TileRange range, const float* x, const TileScratch& scratch) {
      if (last && range.first < frame_.num_answers)
        write(TileRange(range.first / simd::kTilePoints, frame_.num_answers), x, scratch);
    };
    const std::size_t total = queries_->layout().total();
    if (network_.is_full()) return answer_all(layer, *queries_, total, take);
    for_tiles(total, [&](TileRange range, const TileScratch& scratch) {
      float* x = queries_->tile_of(range.first / simd::kTilePoints);
      answer(layer, asked(layer, *queries_, range, scratch), scratch, x);
      take(range, x, scratch);
    });
  }

  void answer_wanted(std::size_t layer) {
    const auto ask = [&](TileRange range, const TileScratch& scratch) {
      return wanted(layer, range, scratch);
    };
    if (network_.is_full())
      return answer_groups(
          layer, frame_.num_answers, ask,
          [&](TileRange range, const FullAnswer& full, std::size_t t, const TileScratch& scratch) {
            full.reply(t, ask(range, scratch).x, scratch.y);
            write(range, scratch.y, scratch);
          });
    for_tiles(frame_.num_answers, [&](TileRange range, const TileScratch& scratch) {
      answer(layer, ask(range, scratch), scratch, scratch.y);
      write(range, scratch.y, scratch);
    });
  }

  std::size_t masked_slots() const {
    return surface_.masked_slots() + (queries_ ? queries_->masked_slots() : 0);
  }
  std::size_t guarded_rows() const { return guarded_rows_; }

 private:
  SurfaceLayout surface_layout() const {
    return {&frame_.surface, frame_.num_ranked, frame_.keep,
            num_padded(network_.config, frame_, frame_.num_ranked)};
  }

  SurfaceLayout query_layout() const {
    const std::size_t ranked = frame_.num_ranked_queries;
    return {frame_.queries, ranked, frame_.query_keep,
            network_.config.decoder ? num_padded(network_.config, frame_, ranked) : 0};
  }

  SurfacePass& source(std::size_t layer) {
    return network_.config.decoder && layer % 2 == 0 ? *queries_ : surface_;
  }

  /// Summarises the tiles as they are, or as embedded tokens.
  void pass(SurfacePass& of, std::size_t layer, bool embed) {
    of.run(layer, [&](std::size_t tile, const TileScratch& scratch, float* x) {
      check_cancel(controls_);
      if (embed) of.embed(tile, scratch, x);
    });
  }

  template <class Body>
  void for_tiles(std::size_t n, const Body& body) {
    for_each_block(n, simd::kTilePoints, [&](std::size_t begin, std::size_t) {
      check_cancel(controls_);
      body(TileRange(begin / simd::kTilePoints, n), workspace_.scratch());
    });
  }

  void embed_queries() {
    for_tiles(frame_.queries->n, [&](TileRange range, const TileScratch& scratch) {
      const std::size_t tile = range.first / simd::kTilePoints;
      queries_->embed(tile, scratch, queries_->tile_of(tile));
    });
  }

  /// Answers rows 0 … n−1 from all points, a group of tiles per block: ask(range, scratch) for each, then
  /// reply(range, answer, its number in the group, scratch).
  template <class Ask, class Reply>
  void answer_groups(std::size_t layer, std::size_t n, const Ask& ask, const Reply& reply) {
    const std::size_t num_tiles = (n + simd::kTilePoints - 1) / simd::kTilePoints;
    // Small clouds are spread over the threads; the size of a group changes no bits.
    const std::size_t group =
        std::clamp<std::size_t>(num_tiles / (4 * workspace_.num_threads), 1, kGroupTiles);
    for_each_block(num_tiles, group, [&](std::size_t begin, std::size_t end) {
      const TileScratch& scratch = workspace_.scratch();
      FullAnswer full(network_, source(layer), layer, scratch);
      for (std::size_t tile = begin; tile < end; ++tile) full.ask(ask(TileRange(tile, n), scratch));
      full.attend(controls_);
      for (std::size_t tile = begin; tile < end; ++tile)
        reply(TileRange(tile, n), full, tile - begin, scratch);
    });
  }

  /// Answers all rows of a surface, which changes when the last is done: take(range, y, scratch).
  template <class Take>
  void answer_all(std::size_t layer, SurfacePass& of, std::size_t n, const Take& take) {
    of.start_next();
    answer_groups(
        layer, n,
        [&](TileRange range, const TileScratch& scratch) { return asked(layer, of, range, scratch); },
        [&](TileRange range, const FullAnswer& full, std::size_t t, const TileScratch& scratch) {
          const std::size_t tile = range.first / simd::kTilePoints;
          full.reply(t, of.tile_of(tile), of.next_tile_of(tile));
          take(range, of.next_tile_of(tile), scratch);
        });
    of.take_next();
  }

  /// Returns a range of a surface's rows as what is asked.
  AskedTile asked(std::size_t layer, const SurfacePass& of, TileRange range,
                  const TileScratch& scratch) const {
    return {of.tile_of(range.first / simd::kTilePoints), range.count, limits(layer, range, scratch),
            places(of, range, scratch)};
  }

  void answer(std::size_t layer, const AskedTile& asked, const TileScratch& scratch, float* y) {
    const std::size_t vanished =
        answer_tile(network_.config, network_.layers[layer], summary_, asked, scratch.answer, y);
    if (vanished != 0) guarded_rows_ += vanished;
  }

  /// Returns the placed positions of a range of rows, or null if no answer depends on them.
  const float* places(const SurfacePass& of, TileRange range, const TileScratch& scratch) const {
    if (network_.config.mechanism != Mechanism::anchored) return nullptr;
    return of.places(range, scratch);
  }

  /// Returns those of the surface rows that a range of answers needs.
  const float* wanted_places(TileRange range, const TileScratch& scratch) const {
    if (network_.config.mechanism != Mechanism::anchored) return nullptr;
    for (std::size_t p = 0; p < range.count; ++p)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto raw =
            static_cast<double>(frame_.surface.position(frame_.answer_rank[range.first + p])[axis]);
        scratch.places[axis * simd::kTilePoints + p] = static_cast<float>(frame_.placement.place(raw, axis));
      }
    return scratch.places;
  }

  /// Returns how many slots the points of a range see under a causal mask, or null.
  const float* limits(std::size_t layer, TileRange range, const TileScratch& scratch) const {
    if (!network_.config.is_causal(layer)) return nullptr;
    for (std::size_t p = 0; p < simd::kTilePoints; ++p) {
      const std::size_t answer = range.first + std::min(p, range.count - 1);
      const bool chosen = frame_.answer_rank != nullptr && layer + 1 == network_.config.depth;
      scratch.limits[p] = static_cast<float>(seen_slots(chosen ? frame_.answer_rank[answer] : answer));
    }
    return scratch.limits;
  }

  /// Slot c is seen by the rows i ≥ c; of `full` a slot stands for the c-th point that takes part.
  std::size_t seen_slots(std::size_t row) const {
    if (network_.config.mechanism != Mechanism::full) return row + 1;
    const bool zeroed = network_.config.masked_points == MaskedPoints::zeroed;
    const std::size_t tile = row / simd::kTilePoints;
    std::size_t seen = workspace_.first_slot[tile];
    for (std::size_t i = tile * simd::kTilePoints; i <= row; ++i)
      seen += zeroed || surface_.layout().takes_part(i) ? 1 : 0;
    return seen;
  }

  /// Returns the surface rows that a range of answers needs.
  AskedTile wanted(std::size_t layer, TileRange range, const TileScratch& scratch) const {
    if (frame_.answer_rank == nullptr) return asked(layer, surface_, range, scratch);
    for (std::size_t p = 0; p < range.count; ++p) {
      const std::size_t rank = frame_.answer_rank[range.first + p], column = rank % simd::kTilePoints;
      const float* tile = surface_.tile_of(rank / simd::kTilePoints);
      for (std::size_t c = 0; c < network_.layers[layer].width_in; ++c)
        scratch.x[c * simd::kTilePoints + p] = tile[c * simd::kTilePoints + column];
    }
    return {scratch.x, range.count, limits(layer, range, scratch), wanted_places(range, scratch)};
  }

  void write(TileRange range, const float* x, const TileScratch& scratch) const {
    std::size_t width = network_.config.channels;
    if (network_.head.exists()) {
      simd::linear(network_.head.map(), x, simd::Finish::none, nullptr, scratch.head);
      x = scratch.head;
      width = network_.head.rows();
    }
    std::uint32_t rows[simd::kTilePoints];
    for (std::size_t p = 0; p < range.count; ++p) rows[p] = frame_.row_of_answer(range.first + p);
    simd::store_rows(x, width, range.count, rows, out_);
  }

  CpuNetwork& network_;
  CpuWorkspace& workspace_;
  const Frame& frame_;
  T* out_;
  const EncodeControls& controls_;
  SurfacePass surface_;
  std::optional<SurfacePass> queries_;
  LayerSummary summary_;
  std::atomic<std::size_t> guarded_rows_{0};
};

}  // namespace pcl_attention
