// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "attention/engine.h"
#include "reference/linear.h"

namespace pcl_attention::reference {

/// Turns raw tokens into the first layer's rows: placed channels, embedding, position encoding.
class TokenEmbedding {
 public:
  explicit TokenEmbedding(const Model& model);

  /// Returns the placed positions of rows [begin, end): (p − centre) · inverse_scale; no rows without them.
  Matrix positions(const TokenRows& tokens, const Placement& placement, std::size_t begin,
                   std::size_t end) const;

  /// Returns the embedded rows [begin, end).
  /// @param rank  [tokens.n] ranks for a rank encoding, −1: none is added; may be null
  Matrix rows(const TokenRows& tokens, const Frame& frame, const std::int64_t* rank, std::size_t begin,
              std::size_t end) const;

 private:
  const ModelConfig& config_;
  Linear embedding_;
};

}  // namespace pcl_attention::reference
