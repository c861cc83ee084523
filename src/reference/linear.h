// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "attention/layer_weights.h"

namespace pcl_attention::reference {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowVector = Eigen::RowVectorXd;
using Eigen::Index;

inline Index index(std::size_t value) { return static_cast<Index>(value); }

/// y = W x + b. A sum runs over the inputs in their sequence, one row at a time, so that a row's result
/// has the same bits wherever it stands.
class Linear {
 public:
  Linear() = default;
  explicit Linear(const LinearWeights& weights);

  bool exists() const { return transposed_.size() != 0; }

  /// Returns y for every row of x: [rows × in] → [rows × out].
  Matrix operator()(const Matrix& x) const;

  /// Returns Wᵀ [in × out] and b [out]; b is zero where there is none. A convolution [out × in × s] gives
  /// Wᵀ [in·s × out].
  const Matrix& transposed() const { return transposed_; }
  const RowVector& bias() const { return bias_; }

 private:
  Matrix transposed_;
  RowVector bias_;
};

/// y = (x − mean) / √(variance + 1e-5) · weight + bias for every row.
class LayerNorm {
 public:
  LayerNorm() = default;
  explicit LayerNorm(const NormWeights& weights);
  bool exists() const { return weight_.size() != 0; }
  Matrix operator()(const Matrix& x) const;

 private:
  RowVector weight_, bias_;
};

}  // namespace pcl_attention::reference
