// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "reference/layer.h"
#include "reference/surface.h"

namespace pcl_attention::reference {

/// Returns what layer `layer_index` keeps of the surface, by the model's mechanism and projection.
Summary summarise(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                  const SurfaceRows& surface);

/// Returns keys and values of every row that takes part; with MaskedPoints::zeroed zeros for the others.
/// @param causal  note the rows' places
Summary summarise_full(const ModelConfig& config, const Layer& layer, const SurfaceRows& surface,
                       bool causal);

/// Returns k rows of keys K'_h = (E X) Wk_hᵀ + b 1ᵀ and values V'_h = (F X) Wv_hᵀ + b 1ᵀ. Sums over
/// points run over chunks of kChunkPoints, merged by tree_reduce: same bits for any number of threads.
Summary summarise_linformer(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                            const SurfaceRows& surface);

/// Returns the projections of a layer as Layer::projections() counts them, or the one that is not stored.
std::vector<std::unique_ptr<ProjectionRows>> make_projections(const ModelConfig& config,
                                                              std::size_t layer_index, const Layer& layer,
                                                              const SurfaceFacts& facts);

/// Returns the rows that learned queries z_j of `inducing` and `anchored` see of all points, per head:
/// K'[j] = Σ_i w_ij k_i, V'[j] = Σ_i w_ij v_i, w_·j = softmax over points of Layer::slot_scores(). Anchors
/// are every ⌊n/k⌋-th of the n points that take part, by rank; all of them if there are fewer than k.
Summary summarise_slots(const ModelConfig& config, const Layer& layer, const SurfaceRows& surface);

/// Returns S = Σ φ(k) vᵀ and z = Σ φ(k) of `kernel`, per head.
Summary summarise_kernel(const ModelConfig& config, const Layer& layer, const SurfaceRows& surface);

/// Returns ⌊n/s⌋ rows K'_h[j] = Σ_t W[:,:,t] k_h[j·s + t] + b, V' likewise, k and v the keys and values of
/// the points by rank; ranks behind the last whole run take no part. Sums over points as above.
Summary summarise_convolution(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                              const SurfaceRows& surface);

}  // namespace pcl_attention::reference
