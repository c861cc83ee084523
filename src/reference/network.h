// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "reference/embedding.h"
#include "reference/layer.h"

namespace pcl_attention::reference {

/// A whole network in double. Reads the model while it lives.
struct Network {
  explicit Network(const Model& model)
      : config(model.config()), embedding(model), head(linear_weights(model, "head")) {
    ProjectionCache cache;
    for (std::size_t layer = 0; layer < config.depth; ++layer) layers.emplace_back(model, layer, cache);
  }

  const ModelConfig& config;
  TokenEmbedding embedding;
  std::vector<Layer> layers;
  Linear head;
};

}  // namespace pcl_attention::reference
