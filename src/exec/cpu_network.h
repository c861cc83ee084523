// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "exec/anchor_projection.h"
#include "exec/buffer.h"
#include "exec/chunk_sums.h"
#include "exec/cosine_basis.h"
#include "exec/packed_layer.h"
#include "exec/slot_sums.h"
#include "exec/tile_embedding.h"
#include "exec/tile_projection.h"

namespace pcl_attention {

constexpr std::size_t kPieceTiles = 2;  ///< tiles whose keys are held at a time; a constant of the algorithm
constexpr std::size_t kGroupTiles = 4;  ///< tiles that attend to them

/// How a layer's points become its summary.
enum class Summarising {
  points,    ///< `full`: none, points attend to points
  convolve,  ///< those, and a convolution over them
  segments,  ///< sums of runs of ranks
  grid,      ///< E(p) over a grid of anchors
  scored,    ///< E(p) with learned anchors or a map
  stored,    ///< a stored E with the points
  direct,    ///< own E and F per head with the points' keys and values
  cosines,   ///< cosines along the ranks with the points, `smooth`
  slots,     ///< softmax over points: `inducing`, `anchored`, and the features of `favor`
  features,  ///< sums of features, `kernel`
};

/// A model packed for the cpu engine. Reads the model while it lives.
struct CpuNetwork {
  explicit CpuNetwork(const Model& model);

  /// Returns how many weighted sums of its points a layer takes: slots, or cosines.
  std::size_t summed_rows(std::size_t layer) const;

  /// Returns the numbers that the points of a layer are summed to: rows of padded_slots(summed_rows) each.
  std::size_t sums_size(std::size_t layer) const;

  /// Returns how the sums of a softmax over points lie: keys, but of `favor`, and values.
  SlotSums slot_sums(std::size_t layer) const;

  std::size_t key_width() const { return config.heads * config.head_width; }       ///< of all heads
  std::size_t value_width() const { return config.heads * config.value_width(); }  ///< likewise
  bool is_full() const { return summarising == Summarising::points; }
  /// Returns keys and values of kPieceTiles tiles with `full`, without their memory.
  simd::KeyValues piece_shape() const;
  bool is_favor() const {
    return config.mechanism == Mechanism::kernel && config.kernel.similarity == Similarity::favor;
  }

  const ModelConfig& config;
  Summarising summarising;
  TileEmbedding embedding;
  std::vector<PackedLayer> layers;
  std::vector<StoredProjection> projections;    ///< each stored E once
  std::vector<PackedConvolution> convolutions;  ///< likewise
  PackedPosition position;
  PackedLinear head;
  std::size_t width = 0;  ///< most channels of a row
};

/// What one thread needs to answer a group of tiles with `full`.
struct GroupScratch {
  float *query = nullptr, *heads = nullptr;   ///< [kGroupTiles × width × kTilePoints]
  float *largest = nullptr, *sums = nullptr;  ///< [kGroupTiles × H × kTilePoints]
  float* limits = nullptr;                    ///< [kGroupTiles × kTilePoints]
  float *keys = nullptr, *values = nullptr;   ///< of piece_shape()
};

/// What one thread needs for one tile.
struct TileScratch {
  AnswerScratch answer;
  GroupScratch group;
  float *x = nullptr, *y = nullptr, *head = nullptr;  ///< tiles; y is the memory of keys
  float* values = nullptr;                            ///< [input channels × kTilePoints]
  float *keys = nullptr, *key_values = nullptr;       ///< [H·D × kTilePoints]
  float *panels = nullptr, *grid = nullptr;           ///< of E
  float* angles = nullptr;                            ///< of cosines
  float *largest = nullptr, *offsets = nullptr;       ///< of the scores of slots, and of points
  float *places = nullptr, *features = nullptr;       ///< [3 × kTilePoints]; of feature_panels()
  float* limits = nullptr;                            ///< [kTilePoints] of a causal mask
  double* positions = nullptr;                        ///< [3 × kTilePoints]
};

/// A surface between its layers.
struct SurfaceMemory {
  Buffer<float> tiles;  ///< [width × kTilePoints] each
  Buffer<float> next;   ///< those of the next layer, with `full`
  GridProjection grid;
  AnchorProjection scored;
  CosineBasis cosines;
  Buffer<float> anchors;        ///< [3 × padded_slots(k)] of `anchored`
  std::size_t num_anchors = 0;  ///< in use
};

/// Memory that a frame leaves for the next. Grows, never shrinks.
struct CpuWorkspace {
  SurfaceMemory surface, queries;
  Buffer<float> keys, values;              ///< of the summary
  Buffer<float> extras;                    ///< of its slots: biases, anchors, z
  Buffer<float> point_keys, point_values;  ///< of every point, for a convolution
  ChunkSums sums;
  Buffer<double> slot_sums;             ///< keys and values of slots that cosines are turned into
  std::vector<double> scale;            ///< [H] of the sums of features
  std::vector<std::size_t> first_slot;  ///< of each tile, with full attention
  std::vector<std::size_t> slots;       ///< of the summary that points reach
  std::size_t num_threads = 1;

  /// Returns about how many bytes a frame of n points takes on the threads of the present arena.
  /// @param lent  bytes of surface.tiles that are used before the frame
  static std::size_t size(const CpuNetwork& network, std::size_t n, std::size_t lent);

  /// Makes scratch for every thread of the present arena.
  void prepare(const CpuNetwork& network);

  /// Returns the calling thread's scratch.
  const TileScratch& scratch() const;

 private:
  std::vector<TileScratch> scratch_;
  std::vector<Buffer<float>> memory_;
  std::vector<Buffer<double>> positions_;
};

}  // namespace pcl_attention
