// SPDX-License-Identifier: BSD-3-Clause
// `inducing` and `anchored` against loops over all pairs of slots and points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention/networks.h"
#include "pcl_attention/error.h"
#include "reference/linear.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using reference::Index;
using reference::Matrix;
using reference::RowVector;

ModelConfig bare_config(Mechanism mechanism) {
  ModelConfig config = attention_alone(with_slots(mechanism));
  config.anchor_sigmas = {0.3, 1.0, 2.0};
  return config;
}

RowVector softmax(const RowVector& scores) {
  const RowVector weights = (scores.array() - scores.maxCoeff()).exp();
  return weights / weights.sum();
}

/// Rows of the layer, with anchors at the given points.
std::vector<double> direct_layer(const Model& model, const FloatCloud& cloud,
                                 const std::vector<std::size_t>& anchors) {
  const ModelConfig& config = model.config();
  const auto rows_of = [&](const std::string& name, const Matrix& x) {
    return reference::Linear(linear_weights(model, "layers.0.attention." + name))(x);
  };
  const Index n = static_cast<Index>(cloud.size()), width = static_cast<Index>(config.head_width);
  Matrix x(n, 4);
  for (Index i = 0; i < n; ++i)
    x.row(i) = Eigen::Map<const Eigen::RowVectorXf>(cloud.row(static_cast<std::size_t>(i)), 4).cast<double>();
  const Matrix q = rows_of("query", x), k = rows_of("key", x), v = rows_of("value", x);
  const Matrix z =
      reference::Linear({&model.tensor("layers.0.attention.slots.weight"), nullptr}).transposed();
  const bool anchored = config.mechanism == Mechanism::anchored;
  const Index slots = anchored ? static_cast<Index>(anchors.size()) : static_cast<Index>(config.slots);
  Matrix heads(n, width * static_cast<Index>(config.heads));
  for (Index h = 0; h < static_cast<Index>(config.heads); ++h) {
    const auto bias = [&](Index i, Index j) {
      if (!anchored) return 0.0;
      const double sigma = config.anchor_sigmas[static_cast<std::size_t>(h)];
      const auto a = static_cast<Index>(anchors[static_cast<std::size_t>(j)]);
      return -(x.row(i).head(3) - x.row(a).head(3)).squaredNorm() / (2.0 * sigma * sigma);
    };
    const double root = std::sqrt(static_cast<double>(width));
    Matrix keys(slots, width), values(slots, width);
    for (Index j = 0; j < slots; ++j) {
      RowVector scores(n);
      for (Index i = 0; i < n; ++i)
        scores(i) =
            z.col(j).segment(h * width, width).dot(k.row(i).segment(h * width, width).transpose()) / root +
            bias(i, j);
      const RowVector weights = softmax(scores);
      keys.row(j) = weights * k.middleCols(h * width, width);
      values.row(j) = weights * v.middleCols(h * width, width);
    }
    for (Index i = 0; i < n; ++i) {
      RowVector scores(slots);
      for (Index j = 0; j < slots; ++j)
        scores(j) = q.row(i).segment(h * width, width).dot(keys.row(j)) / root + bias(i, j);
      heads.row(i).segment(h * width, width) = softmax(scores) * values;
    }
  }
  const Matrix y = rows_of("output", heads);
  return {y.data(), y.data() + y.size()};
}

/// A cloud whose rows stand in Morton order.
FloatCloud ordered_cloud(std::size_t n) {
  const FloatCloud cloud = random_cloud(n, 3, small_fields());
  OrderInput input;
  input.num_rows = n;
  input.positions = cloud.values.data();
  input.position_stride = 4;
  return permuted(cloud, canonical_order(input, Curve::morton).row_of_rank);
}

TEST(Slots, InducingAgreesWithLoopsOverAllPairs) {
  for (std::size_t n : {1U, 2U, 1300U}) {
    const FloatCloud cloud = ordered_cloud(n);
    const ModelPtr model = make_random_model(bare_config(Mechanism::inducing), 4);
    Encoder encoder = make_encoder(model, Device::reference);
    EXPECT_LE(relative_l2(encode(encoder, cloud), direct_layer(*model, cloud, {})), 1e-12) << n;
  }
}

TEST(Slots, AnchorsAreEveryNthPointAlongTheCurve) {
  const ModelPtr model = make_random_model(bare_config(Mechanism::anchored), 4);
  Encoder encoder = make_encoder(model, Device::reference);
  // 9 slots: all points, all points, every second with one left over, every 144th.
  for (std::size_t n : {1U, 9U, 19U, 1300U}) {
    std::vector<std::size_t> anchors;
    for (std::size_t j = 0; j < std::min<std::size_t>(9, n); ++j)
      anchors.push_back(j * std::max<std::size_t>(1, n / 9));
    const FloatCloud cloud = ordered_cloud(n);
    EXPECT_LE(relative_l2(encode(encoder, cloud), direct_layer(*model, cloud, anchors)), 1e-12) << n;
  }
}

TEST(Slots, LearnedSigmasAreThoseOfTheTensor) {
  ModelConfig config = bare_config(Mechanism::anchored);
  const ModelPtr given = make_random_model(config, 4);
  TensorMap tensors = given->tensors();
  tensors["layers.0.attention.anchor_sigma"] = {{3}, {0.3F, 1.0F, 2.0F}};
  config.anchor_sigmas.clear();
  const FloatCloud cloud = ordered_cloud(300);
  Encoder one = make_encoder(given, Device::reference),
          other = make_encoder(std::make_shared<Model>(config, tensors), Device::reference);
  EXPECT_LE(relative_l2(encode(one, cloud), encode(other, cloud)), 1e-6);
  tensors["layers.0.attention.anchor_sigma"].values[1] = 0.0F;
  EXPECT_THROW(Model(config, tensors), ModelError);
}

}  // namespace
}  // namespace pcl_attention::test
