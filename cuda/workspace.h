// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "cuda/description.h"
#include "cuda/engine.h"
#include "cuda/memory.h"

namespace pcl_attention::cuda {

/// A surface between its layers, in device memory; null what the network does not need.
struct SurfaceMemory {
  float *x = nullptr, *next = nullptr;  ///< [total × width]; next where a layer changes the width
  float* places = nullptr;              ///< [n × 3]
  float* anchors = nullptr;             ///< [k × 3]
  float* anchor_factor = nullptr;       ///< [3] of a grid of anchors
  float* box = nullptr;                 ///< [6] over which the grid is laid
  float* hidden = nullptr;              ///< [n × MLP's width]
};

/// Device memory of a frame, all from one piece.
struct Workspace {
  SurfaceMemory surface, queries;
  float* seen = nullptr;                                 ///< [total × width] behind a pre-norm
  float *point_keys = nullptr, *point_values = nullptr;  ///< [total × H·D], [total × H·Dv]
  double *partial = nullptr, *sums = nullptr;
  double* moments = nullptr;                 ///< [kMomentScratch]
  float* sum_rows = nullptr;                 ///< sums as rows [2 × slots × width]
  float* cosine_rows = nullptr;              ///< [2 × cosines × H·D] keys and values
  float *keys = nullptr, *values = nullptr;  ///< of the summary
  float* slot_bias = nullptr;                ///< [H × slots] or [total]
  float *largest = nullptr, *chunk_largest = nullptr;
  float *mass = nullptr, *least = nullptr;
  float *point_largest = nullptr, *point_inverse = nullptr;  ///< [n] of E of places
  float *answers = nullptr, *headed = nullptr;  ///< [num_answers × …] before and behind the head
  unsigned long long* counts = nullptr;         ///< [2] masked slots, guarded rows
};

/// Returns what begin() hands out, laid into host or device memory alike, so that one copy uploads it.
FrameStaging lay_out_tokens(const NetworkDescription& network, const FrameDescription& frame, Parts& parts);

/// Returns the same for the tokens of one surface.
TokenStaging lay_out_tokens(const NetworkDescription& network, const TokenCounts& counts, Parts& parts);

/// Where positions lie: among the values, or beside them.
struct Positions {
  const float* first;
  std::size_t stride;
};
Positions positions_of(const TokenCounts& counts, std::size_t channels, const TokenStaging& tokens);

/// Returns the rest of a frame's device memory.
Workspace lay_out(const NetworkDescription& network, const FrameDescription& frame, Parts& parts);

/// Returns the rows that layer `layer` keeps of a surface.
std::size_t num_slots(const NetworkDescription& network, std::size_t layer, const TokenCounts& counts);

/// Returns true if keys and values of every point are needed at once.
bool keeps_points(Summarising way);

}  // namespace pcl_attention::cuda
