// SPDX-License-Identifier: BSD-3-Clause
#include "reference/kernel.h"

#include <cmath>

namespace pcl_attention::reference {
namespace {

constexpr double kLeastShare = 1e-5;

double elu(double x) { return x > 0.0 ? x + 1.0 : std::exp(x); }

}  // namespace

Kernel::Kernel(const ModelConfig& config, const LayerWeights& weights)
    : similarity_(config.kernel.similarity), width_(static_cast<double>(config.head_width)) {
  square_ = 1.0 / width_;
  if (config.kernel.constant) constant_ = 1.0;
  if (similarity_ == Similarity::taylor) {
    constant_ = 1.0;
    linear_ = 1.0 / std::sqrt(width_);
    square_ = 0.5 / width_;
  }
  if (similarity_ == Similarity::favor) omega_ = Linear({weights.features, nullptr}).transposed().transpose();
}

Index Kernel::num_features() const {
  if (similarity_ == Similarity::favor) return omega_.rows();
  const auto width = static_cast<Index>(width_);
  if (similarity_ == Similarity::elu) return width;
  return width * (width + 1) / 2 + (linear_ != 0.0 ? width : 0) + (constant_ != 0.0 ? 1 : 0);
}

double Kernel::scaled_square(const RowVector& x) const { return 0.5 * x.squaredNorm() / std::sqrt(width_); }

double Kernel::shift(const RowVector& x) const {
  if (similarity_ != Similarity::favor) return 0.0;
  return (omega_ * x.transpose()).maxCoeff() / std::pow(width_, 0.25) - scaled_square(x);
}

void Kernel::features(const RowVector& x, double shift, Eigen::Ref<RowVector> phi) const {
  if (similarity_ == Similarity::elu) {
    phi = x.unaryExpr(&elu);
    return;
  }
  if (similarity_ == Similarity::favor) {
    const double root = std::pow(width_, 0.25), offset = scaled_square(x) + shift;
    for (Index i = 0; i < phi.size(); ++i)
      phi(i) = std::exp(omega_.row(i).dot(x) / root - offset) / std::sqrt(static_cast<double>(phi.size()));
    return;
  }
  Index i = 0;
  for (Index a = 0; a < x.size(); ++a)
    for (Index b = a; b < x.size(); ++b) phi(i++) = std::sqrt(a == b ? square_ : 2.0 * square_) * x(a) * x(b);
  if (linear_ != 0.0)
    for (Index a = 0; a < x.size(); ++a) phi(i++) = std::sqrt(linear_) * x(a);
  if (constant_ != 0.0) phi(i++) = std::sqrt(constant_);
}

double Kernel::similarity(const RowVector& q, const RowVector& k) const {
  double sum = 0.0;
  if (similarity_ == Similarity::elu) {
    for (Index c = 0; c < q.size(); ++c) sum += elu(q(c)) * elu(k(c));
    return sum;
  }
  if (similarity_ == Similarity::favor) {
    const RowVector both = (q + k) / std::pow(width_, 0.25);
    const double offset = scaled_square(q) + scaled_square(k);
    for (Index i = 0; i < omega_.rows(); ++i) sum += std::exp(omega_.row(i).dot(both) - offset);
    return sum / static_cast<double>(omega_.rows());
  }
  const double product = q.dot(k);
  return constant_ + linear_ * product + square_ * product * product;
}

bool Kernel::vanishes(double denominator, double query_square, double key_squares) const {
  const bool may_vanish =
      similarity_ != Similarity::elu && similarity_ != Similarity::favor && constant_ == 0.0;
  const double bound = may_vanish ? kLeastShare * square_ * query_square * key_squares : 0.0;
  return !(denominator > bound);
}

}  // namespace pcl_attention::reference
