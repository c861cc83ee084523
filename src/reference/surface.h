// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "attention/engine.h"
#include "reference/embedding.h"
#include "reference/projection.h"
#include "reference/summary.h"

namespace pcl_attention::reference {

/// The points between two layers.
struct SurfaceRows {
  Matrix x;                        ///< [(n + padded) × width]
  Matrix positions;                ///< [n × 3] placed, or without rows
  std::vector<std::int64_t> rank;  ///< [n + padded] −1: takes no part in a summary
  SurfaceFacts facts;

  /// Returns how many chunks of kChunkPoints rows there are, 1 without rows.
  std::size_t num_chunks() const;

  /// Returns rank and position of a row that takes part.
  Place place(std::size_t i) const {
    return {static_cast<std::size_t>(rank[i]),
            positions.rows() > index(i) ? positions.row(index(i)).data() : nullptr};
  }
};

/// Returns some rows as a layer is asked for them; `rows` are also their ranks.
AskedRows rows_of(const SurfaceRows& surface, std::vector<Index> rows);

/// Tokens in rank order, as Frame has them for the surface and for the queries of a decoder.
struct RankedTokens {
  const TokenRows* tokens = nullptr;
  std::size_t num_ranked = 0;          ///< tokens 0 … num_ranked−1 have a rank
  const std::uint8_t* keep = nullptr;  ///< [tokens->n] or null: all
  std::size_t num_padded = 0;          ///< rows of zeros behind the tokens, with ranks
};

/// Returns the tokens as the first layer takes them.
SurfaceRows embed(const TokenEmbedding& embedding, const Frame& frame, const RankedTokens& ranked,
                  const EncodeControls& controls);

}  // namespace pcl_attention::reference
