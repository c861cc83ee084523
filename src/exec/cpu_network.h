// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "exec/buffer.h"
#include "exec/chunk_sums.h"
#include "exec/packed_layer.h"
#include "exec/tile_embedding.h"
#include "exec/tile_projection.h"

namespace pcl_attention {

/// A model packed for the cpu engine. Reads the model while it lives.
struct CpuNetwork {
  explicit CpuNetwork(const Model& model);

  const ModelConfig& config;
  TileEmbedding embedding;
  std::vector<PackedLayer> layers;
  std::vector<StoredProjection> projections;  ///< each stored E once
  PackedLinear head;
  std::size_t width = 0;  ///< most channels of a row
};

/// What one thread needs for one tile.
struct TileScratch {
  AnswerScratch answer;
  float *x = nullptr, *y = nullptr, *head = nullptr;  ///< tiles
  float* values = nullptr;                            ///< [input channels × kTilePoints]
  float *keys = nullptr, *key_values = nullptr;       ///< [H·D × kTilePoints]
  float *panels = nullptr, *grid = nullptr;           ///< of E
  double* positions = nullptr;                        ///< [3 × kTilePoints]
};

/// Memory that a frame leaves for the next. Grows, never shrinks.
struct CpuWorkspace {
  Buffer<float> surface, queries;  ///< tiles [width × kTilePoints]
  Buffer<float> keys, values;      ///< of the summary
  ChunkSums sums;
  std::vector<std::size_t> first_slot;  ///< of each tile, with full attention
  std::size_t num_threads = 1;

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
