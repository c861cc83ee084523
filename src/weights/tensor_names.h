// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pcl_attention/config.h"

namespace pcl_attention {

/// Returns "layers.{layer}.attention" and "layers.{layer}.feed_forward".
std::string attention_name(std::size_t layer);
std::string feed_forward_name(std::size_t layer);

/// Returns true if the model file holds a matrix E, its cosines, or the kernel of a convolution.
bool stores_projection(const ModelConfig& config);

/// Returns true if the model file holds the cosines of `smooth`.
bool stores_cosines(const ModelConfig& config);

/// Returns true if the model file holds a matrix E with a row per rank, made for `projection.length` points.
bool stores_rows(const ModelConfig& config);

/// Names of the stored projections of one head, without ".weight".
struct ProjectionNames {
  std::string key;    ///< E
  std::string value;  ///< F, the same as `key` if they are shared
};

/// Returns which stored projections a head of a layer uses:
/// layerwise "projection" · kv "layers.i.attention.projection" · headwise "… .projection.E" and ".F" ·
/// none "… .projection.{head}.E" and ".F".
ProjectionNames projection_names(const ModelConfig& config, std::size_t layer, std::size_t head);

/// Returns how many matrices E and F, or convolutions, the whole model has.
std::size_t num_projections(const ModelConfig& config);

/// Returns the stored projections that no earlier layer uses, each once.
std::vector<std::string> new_projections(const ModelConfig& config, std::size_t layer);

}  // namespace pcl_attention
