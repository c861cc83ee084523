// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "attention/layer_weights.h"
#include "reference/linear.h"

namespace pcl_attention::reference {

/// A similarity of two vectors of one head and the feature map behind it: s(q, k) = φ(q) · φ(k).
class Kernel {
 public:
  Kernel() = default;
  Kernel(const ModelConfig& config, const LayerWeights& weights);

  /// Returns F, the length of φ(x).
  Index num_features() const;

  /// Returns c = max_i ω_i · x' − ‖x'‖² / 2 of `favor`, 0 of others.
  double shift(const RowVector& x) const;

  /// Writes φ(x) · e^−shift [F]. Quadratic maps hold each pair of channels once: D (D + 1) / 2 numbers.
  void features(const RowVector& x, double shift, Eigen::Ref<RowVector> phi) const;

  /// Returns s(q, k) from the vectors themselves.
  double similarity(const RowVector& q, const RowVector& k) const;

  /// Returns true if a denominator Σ_j s(q, k_j) counts as zero: it is not positive, or, where s may vanish
  /// though q and k do not, at most 1e-5 of its bound ‖q‖² Σ_j ‖k_j‖² / D.
  bool vanishes(double denominator, double query_square, double key_squares) const;

 private:
  double scaled_square(const RowVector& x) const;  ///< ‖x'‖² / 2

  Similarity similarity_ = Similarity::elu;
  double width_ = 1.0;                                   ///< D
  double constant_ = 0.0, linear_ = 0.0, square_ = 0.0;  ///< s = constant + linear q·k + square (q·k)²
  Matrix omega_;                                         ///< [m × D] of `favor`
};

}  // namespace pcl_attention::reference
