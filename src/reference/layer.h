// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "pcl_attention/config.h"
#include "reference/linear.h"

namespace pcl_attention::reference {

/// What a layer keeps of all points: rows of keys and values, the same number for every head.
struct Summary {
  Matrix keys_transposed;        ///< [H·D × rows]
  Matrix values;                 ///< [rows × H·D]
  std::vector<bool> masked;      ///< [rows] left out of the softmax; empty: none
  std::vector<Index> places;     ///< [rows] for a causal mask, ascending: row j is seen from places[j] on
  std::size_t masked_slots = 0;  ///< anchors of `position` among them

  Index rows() const { return values.rows(); }
  bool is_masked(Index row) const { return !masked.empty() && masked[static_cast<std::size_t>(row)]; }
};

/// Stored projections by their tensor, so that layers share what the model shares.
using ProjectionCache = std::map<const Tensor*, std::shared_ptr<const Linear>>;

/// One layer in double: attention, feed-forward, norms. Reads the model's configuration while it lives.
class Layer {
 public:
  Layer(const Model& model, std::size_t layer, ProjectionCache& cache);

  /// Returns the rows that attention sees: LN(x) with pre-norm, else x.
  Matrix attention_input(const Matrix& x) const;

  /// Returns the next layer's rows for the points x [rows × width_in], each on its own:
  /// post-norm x ← LN(x + A(x)), x ← LN(R(x) + F(x)); pre-norm x ← x + A(LN(x)), x ← R(x) + F(LN(x)); else
  /// x ← A(x),
  /// A(x) = softmax(q·K/√D) V per head, then the output matrices; F the feed-forward; R the identity, or
  /// a linear map where the width changes. An empty or fully masked summary gives A's inner sum as 0.
  /// @param places  [rows of x] ranks of the points; read with a causal mask only
  Matrix answer(const Matrix& x, const Summary& summary, const Index* places) const;

  /// Returns the softmax weights of head `head` for the points x: [rows of x × summary.rows()].
  Matrix weights(const Matrix& x, const Summary& summary, const Index* places, std::size_t head) const;

  const Linear& key() const { return key_; }
  const Linear& value() const { return value_; }

  /// Stored projections the layer uses, and which of them is E and F of a head.
  const std::vector<std::shared_ptr<const Linear>>& projections() const { return projections_; }
  std::size_t key_projection(std::size_t head) const { return key_projection_[head]; }
  std::size_t value_projection(std::size_t head) const { return value_projection_[head]; }

 private:
  Matrix scaled_queries(const Matrix& x) const;
  Matrix attend(const Matrix& x, const Summary& summary, const Index* places) const;
  Matrix feed_forward(const Matrix& x) const;

  const ModelConfig& config_;
  Linear query_, key_, value_, output_, output_second_, feed_forward_in_, feed_forward_out_, resample_;
  LayerNorm attention_norm_, feed_forward_norm_;
  std::vector<std::shared_ptr<const Linear>> projections_;
  std::vector<std::size_t> key_projection_, value_projection_;
};

}  // namespace pcl_attention::reference
