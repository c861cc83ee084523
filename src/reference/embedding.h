// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

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
  /// @param num_ranked  token i < num_ranked has rank i; no rank encoding is added to the others
  Matrix rows(const TokenRows& tokens, const Frame& frame, std::size_t num_ranked, std::size_t begin,
              std::size_t end) const;

  /// Returns C, the width of a row.
  Index width() const { return index(config_.channels); }

 private:
  const ModelConfig& config_;
  Linear embedding_;
};

}  // namespace pcl_attention::reference
