// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Raw tokens to the first layer's rows: placed channels, embedding, position encoding.
struct EmbedRows {
  const float* values = nullptr;     ///< [· × input_channels]
  const float* positions = nullptr;  ///< x, y, z each; null: none are used
  std::size_t position_stride = 3;
  const std::uint32_t* row = nullptr;  ///< [n] where token i lies in both; null: at i
  std::size_t n = 0;
  std::size_t num_ranked = 0;  ///< token i < num_ranked has rank i; others get no rank encoding
  std::size_t padded = 0;      ///< rows of zeros written behind the tokens

  /// [4] centre and inverse scale: p' = (p − centre) · inverse_scale, in double, then rounded. Read where
  /// there are positions.
  const double* placement = nullptr;
  std::int32_t position_channels[3] = {-1, -1, -1};  ///< channels that p' replaces

  std::uint32_t input_channels = 0, channels = 0;
  LinearMap embedding;  ///< no map: the channels are the inputs

  /// Angles in turns, so that whole turns are taken off in double: [axis_pairs] per unit of p' for xyz,
  /// [channels / 2] per rank. Null: no such encoding. See axis_turns() and rank_turns().
  const double* axis_turns = nullptr;
  std::uint32_t axis_pairs = 0;
  const double* rank_turns = nullptr;

  float* x = nullptr;       ///< [(n + padded) × channels]
  float* places = nullptr;  ///< [n × 3] p', or null
};
void embed_rows(const EmbedRows& rows, Stream stream);

/// Returns ⌈channels / 6⌉, the sine and cosine pairs of an axis.
inline std::uint32_t num_axis_pairs(std::uint32_t channels) { return (channels + 5) / 6; }

/// Returns 10000^(−i / pairs) / (2π · cell), turns per unit of pair i.
double axis_turns(std::uint32_t pair, std::uint32_t channels, double cell);

/// Returns 100000^(−2i / channels) / 2π, turns per rank of pair i.
double rank_turns(std::uint32_t pair, std::uint32_t channels);

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
