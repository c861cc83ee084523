// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pcl_attention/encoder.h"
#include "pcl_attention/export.h"
#include "pcl_attention/model.h"

namespace pcl_attention {

/// What is wanted of every head.
struct HeadsRequest {
  /// Rows of each head's matrix, spread evenly over the canonical order; as many as there are points if they
  /// are fewer. 0: no matrices.
  std::size_t num_rows = 512;
  bool per_point = false;  ///< attention received and strongest slot of each point
};

/// One head of one layer. A slot is a row of E X or of a learned query, or a point with `full` and `kernel`.
struct AttentionHead {
  std::size_t layer = 0, head = 0;
  std::size_t num_slots = 0;
  /// [rows × num_slots] softmax weights P; a row sums to 1, or to 0 where all slots are masked.
  std::vector<float> weights;
  /// [num_points] attention that point j receives, Σ_j = 1. `full`: mean over queries i of P_ij. `linformer`:
  /// Σ_c |E_cj| · mean_i P_ic, divided by its sum over j; `inducing`, `anchored`: the same with the softmax
  /// over points that made slot c; `kernel`: φ(k_j) · mean_i φ(q_i) / φ(q_i)ᵀz. 0 for masked points, NaN for
  /// invalid ones.
  std::vector<float> received;
  /// [num_points] largest P_ic of row i; −1 for invalid points and with `kernel`.
  std::vector<std::int32_t> strongest_slot;
};

struct AttentionHeadsResult {
  std::size_t num_points = 0;
  std::size_t num_layers = 0, num_heads = 0;  ///< 0 if no point is valid
  /// [rows] which point a matrix row is, in canonical order; of the queries if there are any.
  std::vector<std::uint32_t> row_points;
  std::vector<AttentionHead> heads;  ///< [layers · heads], layer by layer

  const AttentionHead& at(std::size_t layer, std::size_t head) const {
    return heads[layer * num_heads + head];
  }
};

/// Shows what each attention head of a model looks at. Computes in double with the reference engine.
class PCL_ATTENTION_EXPORT AttentionHeads {
 public:
  /// @param options  device is ignored
  /// @throws std::invalid_argument if the model is null.
  explicit AttentionHeads(ModelPtr model, EncoderOptions options = {});
  ~AttentionHeads();
  AttentionHeads(AttentionHeads&&) noexcept;
  AttentionHeads& operator=(AttentionHeads&&) noexcept;

  /// Returns the matrices and values asked for.
  /// @throws as Encoder::encode(); std::invalid_argument for per-point values of a convolution, whose slots
  ///         mix the channels of points, and of foreign queries, and for query_points.
  /// Same numbers for any number of threads. Memory O(layers · heads · (rows · slots + n)) beside that of the
  /// reference engine.
  AttentionHeadsResult compute(const EncodeInput& input, const HeadsRequest& request,
                               const EncodeControls& controls = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pcl_attention
