// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "exec/buffer.h"
#include "exec/chunk_sums.h"
#include "exec/cosine_basis.h"
#include "exec/packed_layer.h"
#include "exec/tile_embedding.h"
#include "exec/tile_projection.h"

namespace pcl_attention {

/// A model packed for the cpu engine. Reads the model while it lives.
struct CpuNetwork {
  explicit CpuNetwork(const Model& model);

  /// Returns how many weighted sums of its points a layer takes: slots, or cosines.
  std::size_t summed_rows(std::size_t layer) const;

  /// Returns the numbers that the points of a layer are summed to: rows of padded_slots(summed_rows) each.
  std::size_t sums_size(std::size_t layer) const;

  const ModelConfig& config;
  TileEmbedding embedding;
  std::vector<PackedLayer> layers;
  std::vector<StoredProjection> projections;    ///< each stored E once
  std::vector<PackedConvolution> convolutions;  ///< likewise
  PackedLinear head;
  std::size_t width = 0;  ///< most channels of a row
};

/// What one thread needs for one tile.
struct TileScratch {
  AnswerScratch answer;
  float *x = nullptr, *y = nullptr, *head = nullptr;  ///< tiles; y is the memory of keys
  float* values = nullptr;                            ///< [input channels × kTilePoints]
  float *keys = nullptr, *key_values = nullptr;       ///< [H·D × kTilePoints]
  float *panels = nullptr, *grid = nullptr;           ///< of E
  float* angles = nullptr;                            ///< of the cosines of `smooth`
  float* limits = nullptr;                            ///< [kTilePoints] of a causal mask
  double* positions = nullptr;                        ///< [3 × kTilePoints]
};

/// A surface between its layers.
struct SurfaceMemory {
  Buffer<float> tiles;  ///< [width × kTilePoints] each
  GridProjection grid;
  CosineBasis cosines;
};

/// Memory that a frame leaves for the next. Grows, never shrinks.
struct CpuWorkspace {
  SurfaceMemory surface, queries;
  Buffer<float> keys, values;              ///< of the summary
  Buffer<float> point_keys, point_values;  ///< of every point, for a convolution
  ChunkSums sums;
  Buffer<double> slot_sums;             ///< keys and values of slots that cosines are turned into
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
