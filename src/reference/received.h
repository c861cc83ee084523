// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "reference/observer.h"

namespace pcl_attention::reference {

/// Returns the attention that each row of the source receives in one head, before it is divided by its sum:
/// `full` mean_c, `linformer` Σ_c |E_cj| · mean_c, `inducing` and `anchored` Σ_c w_cj · mean_c with w the
/// softmax over points that made slot c.
/// @param mean  [slots] mean softmax weights over the points asked
RowVector received_through_slots(const LayerView& view, std::size_t head, const RowVector& mean);

/// Returns the same of `kernel`: φ(k_j) · Σ_i φ(q_i) / φ(q_i)ᵀz over the points asked.
RowVector received_through_features(const LayerView& view, std::size_t head);

/// Returns [rows × points that take part] the shares s(q_i, k_j) / Σ_j s(q_i, k_j) of `kernel`.
Matrix kernel_weights(const LayerView& view, const AskedRows& asked, std::size_t head);

}  // namespace pcl_attention::reference
