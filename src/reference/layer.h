// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "pcl_attention/config.h"
#include "reference/kernel.h"
#include "reference/linear.h"
#include "reference/summary.h"

namespace pcl_attention::reference {

/// Stored projections by their tensor, so that layers share what the model shares.
using ProjectionCache = std::map<const Tensor*, std::shared_ptr<const Linear>>;

/// One layer in double: attention, feed-forward, norms. Reads the model's configuration while it lives.
class Layer {
 public:
  Layer(const Model& model, std::size_t layer, ProjectionCache& cache);

  /// Returns the rows that attention sees: LN(x) with pre-norm, else x.
  Matrix attention_input(const Matrix& x) const;

  /// Returns k of every head for what attention sees of some points, behind its LayerNorm with `rebased`.
  Matrix keys(const Matrix& seen) const { return has_norms() ? key_norm_(key_(seen)) : key_(seen); }

  /// Returns the next layer's rows for the points x [rows × width_in], each on its own:
  /// post-norm x ← LN(x + A(x)), x ← LN(R(x) + F(x)); pre-norm x ← x + A(LN(x)), x ← R(x) + F(LN(x)); else
  /// x ← A(x),
  /// F the feed-forward; R the identity, or a linear map where the width changes. A per head, then the output
  /// matrices: softmax(q·K/√D) V, with the bias −‖p − a‖²/2σ² of `anchored`; of `kernel` φ(q)ᵀS / φ(q)ᵀz. An
  /// empty or fully masked summary and a denominator that vanishes give 0.
  AnsweredRows answer(const AskedRows& asked, const Summary& summary) const;

  /// Returns the softmax weights of head `head`: [rows × summary.rows()]. Not of `kernel`.
  Matrix weights(const AskedRows& asked, const Summary& summary, std::size_t head) const;

  /// Returns z_j · k / √D, with the bias −‖p − a_j‖²/2σ² where there are anchors, for the first learned
  /// queries z_j of head `head`.
  /// @param key  of all heads
  RowVector slot_scores(const RowVector& key, const double* position, const Matrix& anchors, Index num_slots,
                        Index head) const;

  /// Returns φ(q) · e^−shift of the rows and heads asked, [F] each, and the denominators φ(q)ᵀz: 0 where they
  /// vanish.
  struct QueryFeatures {
    std::vector<RowVector> phi;
    std::vector<double> denominator;
  };
  QueryFeatures query_features(const AskedRows& asked, const Summary& summary, std::size_t head) const;

  const Linear& key() const { return key_; }
  const Linear& value() const { return value_; }
  const Kernel& kernel() const { return kernel_; }
  Index head_width() const { return index(config_.head_width); }

  /// Stored projections the layer uses, and which of them is E and F of a head.
  const std::vector<std::shared_ptr<const Linear>>& projections() const { return projections_; }
  std::size_t key_projection(std::size_t head) const { return key_projection_[head]; }
  std::size_t value_projection(std::size_t head) const { return value_projection_[head]; }

 private:
  bool has_norms() const { return key_norm_.exists(); }
  Matrix queries(const Matrix& x) const;
  Matrix output(const Matrix& heads) const;
  Matrix attend(const AskedRows& asked, const Summary& summary) const;
  AnsweredRows attend_features(const AskedRows& asked, const Summary& summary) const;
  double weigh(const AskedRows& asked, const Matrix& q, Index row, Index head, const Summary& summary,
               Eigen::Ref<RowVector> scores) const;
  Matrix feed_forward(const Matrix& x) const;

  const ModelConfig& config_;
  Linear query_, key_, value_, output_, output_second_, feed_forward_in_, feed_forward_out_, resample_;
  LayerNorm attention_norm_, feed_forward_norm_, query_norm_, key_norm_;
  Matrix slots_;                       ///< [k × H·D] learned queries
  std::vector<double> anchor_factor_;  ///< [H] −1/2σ²
  Kernel kernel_;
  std::vector<std::shared_ptr<const Linear>> projections_;
  std::vector<std::size_t> key_projection_, value_projection_;
};

}  // namespace pcl_attention::reference
