// SPDX-License-Identifier: BSD-3-Clause
#include "reference/linear.h"

#include <cmath>

namespace pcl_attention::reference {
namespace {

constexpr double kEpsilon = 1e-5;

RowVector to_vector(const Tensor& tensor) {
  return Eigen::Map<const Eigen::RowVectorXf>(tensor.values.data(), index(tensor.values.size()))
      .cast<double>();
}

}  // namespace

Linear::Linear(const LinearWeights& weights) {
  if (weights.weight == nullptr) return;
  const Index out = index(weights.weight->shape[0]), in = index(weights.weight->values.size()) / out;
  using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  transposed_ =
      Eigen::Map<const FloatMatrix>(weights.weight->values.data(), out, in).cast<double>().transpose();
  bias_ = weights.bias == nullptr ? RowVector(RowVector::Zero(out)) : to_vector(*weights.bias);
}

Matrix Linear::operator()(const Matrix& x) const {
  Matrix y = Matrix::Zero(x.rows(), transposed_.cols());
  for (Index row = 0; row < x.rows(); ++row) {
    for (Index c = 0; c < x.cols(); ++c) y.row(row) += x(row, c) * transposed_.row(c);
    y.row(row) += bias_;
  }
  return y;
}

LayerNorm::LayerNorm(const NormWeights& weights)
    : weight_(to_vector(*weights.weight)), bias_(to_vector(*weights.bias)) {}

Matrix LayerNorm::operator()(const Matrix& x) const {
  Matrix y(x.rows(), x.cols());
  const double width = static_cast<double>(x.cols());
  for (Index row = 0; row < x.rows(); ++row) {
    double mean = 0.0, variance = 0.0;
    for (Index c = 0; c < x.cols(); ++c) mean += x(row, c) / width;
    for (Index c = 0; c < x.cols(); ++c) variance += (x(row, c) - mean) * (x(row, c) - mean) / width;
    const double inverse = 1.0 / std::sqrt(variance + kEpsilon);
    for (Index c = 0; c < x.cols(); ++c) y(row, c) = (x(row, c) - mean) * inverse * weight_(c) + bias_(c);
  }
  return y;
}

}  // namespace pcl_attention::reference
