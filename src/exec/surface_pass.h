// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "exec/cpu_network.h"
#include "exec/parallel.h"

namespace pcl_attention {

/// Passes over the tiles of a surface: each makes or changes a tile and at once adds it to the next summary.
class SurfacePass {
 public:
  /// @param memory  of this surface, grown to fit
  SurfacePass(CpuNetwork& network, CpuWorkspace& workspace, const Frame& frame, const SurfaceLayout& layout,
              SurfaceMemory& memory);

  /// Calls body(tile, scratch, x) for every tile and adds x to the summary of `layer`.
  template <class Body>
  void run(std::size_t layer, const Body& body) {
    const auto change = [&](std::size_t tile) { body(tile, workspace_.scratch(), tile_of(tile)); };
    if (keeps_points()) {  // the keys in use are replaced only when every tile has been answered
      for_each_block(layout_.num_tiles(), 1, [&](std::size_t tile, std::size_t) { change(tile); });
      if (is(Summarising::convolve)) store_convolution(layer);
      return;
    }
    workspace_.sums.start((layout_.num_tiles() + kChunkTiles - 1) / kChunkTiles, network_.sums_size(layer),
                          workspace_.num_threads);
    const auto leaf = [&](std::size_t chunk, double* sums) {
      if (is(Summarising::slots)) network_.slot_sums(layer).clear(sums);
      const std::size_t end = std::min((chunk + 1) * kChunkTiles, layout_.num_tiles());
      for (std::size_t tile = chunk * kChunkTiles; tile < end; ++tile) {
        change(tile);
        add(layer, tile, workspace_.scratch(), tile_of(tile), sums);
      }
    };
    sums_ = workspace_.sums.reduce(leaf, [&](const double* from, double* to) { merge(layer, from, to); });
  }

  /// Writes the first layer's rows of a tile; padded rows are zero.
  void embed(std::size_t tile, const TileScratch& scratch, float* x) const;

  /// Returns the summary of `layer` after its run. It lives until the next run.
  LayerSummary finish(std::size_t layer);

  const SurfaceLayout& layout() const { return layout_; }
  float* tile_of(std::size_t tile) const { return tiles_ + tile * simd::kTilePoints * network_.width; }

  // full_pass.cpp: `full` answers from the tiles themselves, so that new ones stand beside them until all are
  // answered.
  void count_slots();
  std::size_t num_pieces() const { return (layout_.num_tiles() + kPieceTiles - 1) / kPieceTiles; }
  /// Returns the keys and values of a piece's points, in scratch.group.
  simd::KeyValues load_piece(const PackedLayer& layer, std::size_t piece, const TileScratch& scratch) const;
  /// Makes room for new tiles; takes them in the place of the old.
  void start_next() {
    if (next_ == nullptr) next_ = memory_.next.reserve(tiles_size());
  }
  float* next_tile_of(std::size_t tile) const { return next_ + tile * simd::kTilePoints * network_.width; }
  void take_next() { std::swap(tiles_, next_); }

  std::size_t masked_slots() const { return masked_slots_; }

  /// Returns the placed positions of a range of rows [3 × kTilePoints], in scratch.places.
  const float* places(TileRange range, const TileScratch& scratch) const;

 private:
  const ProjectionConfig& projection() const { return network_.config.projection; }
  bool is(Summarising way) const { return network_.summarising == way; }
  std::size_t tiles_size() const { return layout_.num_tiles() * simd::kTilePoints * network_.width; }
  /// Keys and values of every point are needed at once.
  bool keeps_points() const { return is(Summarising::points) || is(Summarising::convolve); }
  bool stored() const {
    return is(Summarising::stored) || is(Summarising::direct) || is(Summarising::cosines);
  }

  // surface_pass.cpp: what one tile adds
  void add(std::size_t layer, std::size_t tile, const TileScratch& scratch, const float* x,
           double* sums) const;
  void add_segments(const PackedLayer& layer, TileRange range, const float* seen, double* sums) const;
  void add_positions(const PackedLayer& layer, TileRange range, const TileScratch& scratch, const float* seen,
                     double* sums) const;
  void add_cosines(const PackedLayer& layer, TileRange range, const TileScratch& scratch, const float* seen,
                   double* sums) const;
  void add_stored(const PackedLayer& layer, TileRange range, const TileScratch& scratch, const float* seen,
                  double* sums) const;
  void add_direct(const PackedLayer& layer, TileRange range, const TileScratch& scratch, const float* seen,
                  double* sums) const;
  const float* panels(std::size_t projection, TileRange range, const TileScratch& scratch) const;
  void merge(std::size_t layer, const double* from, double* to) const;

  // slot_pass.cpp: softmax over points
  void choose_anchors();
  const std::uint8_t* taking_part(TileRange range, std::uint8_t* flags) const;
  void add_slots(std::size_t layer, TileRange range, const TileScratch& scratch, const float* seen,
                 double* sums) const;
  LayerSummary finish_slots(std::size_t layer);
  void load_slots(std::size_t layer, TileRange range, const TileScratch& scratch) const;
  void add_extras(std::size_t layer);

  // feature_pass.cpp: sums of features
  void add_features(const PackedLayer& layer, TileRange range, const TileScratch& scratch, const float* seen,
                    double* sums) const;
  LayerSummary finish_features(std::size_t layer);
  void load_features(const PackedLayer& layer, TileRange range, const double* scale, float* values) const;

  // point_keys.cpp: keys and values of every point
  void store_convolution(std::size_t layer);
  void project_points(const PackedLayer& layer, std::size_t tile, const TileScratch& scratch) const;

  // summary.cpp: from sums to keys and values
  void start_keys(std::size_t slots);
  void turn_cosines_to_slots(const PackedLayer& layer);
  const std::vector<std::size_t>& used_slots(const PackedLayer& layer);
  void project(const PackedLayer& layer, const std::vector<std::size_t>& slots, TileRange range,
               const TileScratch& scratch) const;
  void load_sums(const double* sums, std::size_t channels, const PackedLayer& layer,
                 const std::vector<std::size_t>& slots, TileRange range, float* x) const;
  void add_bias(const PackedLayer& layer, const std::vector<std::size_t>& slots, TileRange range,
                const TileScratch& scratch) const;

  CpuNetwork& network_;
  CpuWorkspace& workspace_;
  const Frame& frame_;
  SurfaceLayout layout_;
  SurfaceMemory& memory_;
  float *tiles_ = nullptr, *next_ = nullptr;  ///< of memory_
  simd::KeyValues summary_;
  double* sums_ = nullptr;
  std::size_t masked_slots_ = 0;
};

}  // namespace pcl_attention
