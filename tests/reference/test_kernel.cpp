// SPDX-License-Identifier: BSD-3-Clause
// Similarities against their feature maps, and layers against loops over all pairs.
#include "reference/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "attention/networks.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using reference::Kernel;
using reference::RowVector;

RowVector random_vector(std::mt19937& random, std::size_t width, double size) {
  std::normal_distribution<double> normal(0.0, size);
  RowVector x(static_cast<Eigen::Index>(width));
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = normal(random);
  return x;
}

ModelConfig bare_kernel(Similarity similarity, std::size_t width, bool constant = false) {
  ModelConfig config = attention_alone(with_kernel(similarity));
  config.head_width = width;
  config.kernel.constant = constant;
  return config;
}

const Similarity kAll[] = {Similarity::elu, Similarity::quadratic, Similarity::rebased, Similarity::taylor,
                           Similarity::favor};

TEST(Kernel, SimilarityIsTheProductOfFeatures) {
  std::mt19937 random(5);
  for (const Similarity similarity : kAll)
    for (const bool constant : {false, true})
      for (int i = 0; i < 40; ++i) {
        if (constant && similarity != Similarity::rebased && similarity != Similarity::quadratic) continue;
        const std::size_t width = 1 + random() % 33;
        ModelConfig config = bare_kernel(similarity, width, constant);
        config.kernel.features = 1 + random() % 70;
        const ModelPtr model = make_random_model(config, random());
        const Kernel kernel(config, layer_weights(*model, 0));
        const RowVector q = random_vector(random, width, 1.0), k = random_vector(random, width, 1.0);
        RowVector of_q(kernel.num_features()), of_k(kernel.num_features());
        kernel.features(q, 0.0, of_q);
        kernel.features(k, 0.0, of_k);
        const double direct = kernel.similarity(q, k);
        EXPECT_NEAR(of_q.dot(of_k), direct, 1e-12 * of_q.norm() * of_k.norm())
            << static_cast<int>(similarity) << ' ' << width;
        kernel.features(q, kernel.shift(q), of_q);
        EXPECT_NEAR(of_q.dot(of_k) * std::exp(kernel.shift(q)), direct, 1e-12 * std::abs(direct) + 1e-12);
        EXPECT_EQ(static_cast<std::size_t>(kernel.num_features()), config.projected_rows(0));
      }
}

/// Rows of one bare layer by Σ_j s(q_i, k_j) v_j / Σ_j s(q_i, k_j), everything written out.
std::vector<double> all_pairs(const Model& model, const FloatCloud& cloud,
                              const std::function<double(const RowVector&, const RowVector&)>& similarity) {
  const ModelConfig& config = model.config();
  const auto map = [&](const std::string& name, const RowVector& x) {
    return reference::Linear(linear_weights(model, "layers.0.attention." + name))(x).row(0).eval();
  };
  const auto norm = [&](const std::string& name, RowVector x) -> RowVector {
    if (config.kernel.similarity != Similarity::rebased) return x;
    const auto& weight = model.tensor("layers.0.attention." + name + ".weight").values;
    const auto& bias = model.tensor("layers.0.attention." + name + ".bias").values;
    const double mean = x.mean(), variance = (x.array() - mean).square().mean();
    for (Eigen::Index i = 0; i < x.size(); ++i)
      x(i) = (x(i) - mean) / std::sqrt(variance + 1e-5) *
                 static_cast<double>(weight[static_cast<std::size_t>(i)]) +
             static_cast<double>(bias[static_cast<std::size_t>(i)]);
    return x;
  };
  std::vector<RowVector> q, k, v;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const RowVector x = Eigen::Map<const Eigen::RowVectorXf>(cloud.row(i), 4).cast<double>();
    q.push_back(norm("query_norm", map("query", x)));
    k.push_back(norm("key_norm", map("key", x)));
    v.push_back(map("value", x));
  }
  const auto width = static_cast<Eigen::Index>(config.head_width),
             values = static_cast<Eigen::Index>(config.value_width());
  std::vector<double> rows;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    RowVector heads(values * static_cast<Eigen::Index>(config.heads));
    for (Eigen::Index h = 0; h < static_cast<Eigen::Index>(config.heads); ++h) {
      RowVector sum = RowVector::Zero(values);
      double denominator = 0.0;
      for (std::size_t j = 0; j < cloud.size(); ++j) {
        const double s = similarity(q[i].segment(h * width, width), k[j].segment(h * width, width));
        denominator += s;
        sum += s * v[j].segment(h * values, values);
      }
      heads.segment(h * values, values) = sum / denominator;
    }
    const RowVector y = map("output", heads);
    rows.insert(rows.end(), y.data(), y.data() + y.size());
  }
  return rows;
}

ModelPtr with_random_norms(const ModelPtr& model) {
  TensorMap tensors = model->tensors();
  std::mt19937 random(3);
  for (auto& [name, tensor] : tensors)
    if (name.find("_norm") != std::string::npos)
      for (float& value : tensor.values) value = static_cast<float>(random() % 1000) / 500.0F - 1.0F;
  return std::make_shared<Model>(model->config(), std::move(tensors));
}

TEST(Kernel, LayersAgreeWithLoopsOverAllPairs) {
  const FloatCloud cloud = random_cloud(60, 4, small_fields());
  for (const Similarity similarity : kAll)
    for (const bool constant : {false, true}) {
      if (constant && similarity != Similarity::rebased && similarity != Similarity::quadratic) continue;
      ModelConfig config = bare_kernel(similarity, 5, constant);
      config.kernel.value_width = 3;
      const ModelPtr model = with_random_norms(make_random_model(config, 9));
      const Tensor* omega =
          similarity == Similarity::favor ? &model->tensor("layers.0.attention.features.weight") : nullptr;
      const auto direct = [&](const RowVector& q, const RowVector& k) {
        const double product = q.dot(k), width = 5.0;
        double sum = 0.0;
        switch (similarity) {
          case Similarity::elu:
            for (Eigen::Index c = 0; c < q.size(); ++c)
              sum += (q(c) > 0 ? q(c) + 1 : std::exp(q(c))) * (k(c) > 0 ? k(c) + 1 : std::exp(k(c)));
            return sum;
          case Similarity::quadratic:
          case Similarity::rebased:
            return (constant ? 1.0 : 0.0) + product * product / width;
          case Similarity::taylor:
            return 1.0 + product / std::sqrt(width) + product * product / (2.0 * width);
          case Similarity::favor:
            break;
        }
        const RowVector a = q / std::pow(width, 0.25), b = k / std::pow(width, 0.25);
        for (std::size_t i = 0; i < omega->shape[0]; ++i) {
          double of_a = -0.5 * a.squaredNorm(), of_b = -0.5 * b.squaredNorm();
          for (Eigen::Index c = 0; c < a.size(); ++c) {
            const auto w = static_cast<double>(omega->values[i * 5 + static_cast<std::size_t>(c)]);
            of_a += w * a(c);
            of_b += w * b(c);
          }
          sum += std::exp(of_a) * std::exp(of_b) / static_cast<double>(omega->shape[0]);
        }
        return sum;
      };
      Encoder encoder = make_encoder(model, Device::reference);
      EXPECT_LE(relative_l2(encode(encoder, cloud), all_pairs(*model, cloud, direct)), 1e-10)
          << static_cast<int>(similarity);
    }
}

TEST(Kernel, FavorComesNearSoftmaxAsFeaturesGrow) {
  const FloatCloud cloud = random_cloud(200, 4, small_fields());
  const auto error = [&](std::size_t features) {
    ModelConfig config = bare_kernel(Similarity::favor, 4);
    config.kernel.features = features;
    const ModelPtr favor = make_random_model(config, 2);
    TensorMap tensors = favor->tensors();
    tensors.erase("layers.0.attention.features.weight");
    config.mechanism = Mechanism::full;
    Encoder approximate = make_encoder(favor, Device::reference),
            exact = make_encoder(std::make_shared<Model>(config, tensors), Device::reference);
    return relative_l2(encode(approximate, cloud), encode(exact, cloud));
  };
  const double few = error(16), more = error(256), most = error(4096);
  EXPECT_LT(more, few / 2);
  EXPECT_LT(most, more / 2);
  EXPECT_LT(most, 0.02);
}

/// A bare quadratic layer of 2 channels per head whose queries see channels 0, 1 and keys channels 2, 3.
ModelPtr crossed_model(Similarity similarity) {
  ModelConfig config = bare_kernel(similarity, 2);
  config.heads = 1;
  const ModelPtr random = make_random_model(config, 9);
  TensorMap tensors = random->tensors();
  tensors.at("layers.0.attention.query.weight").values = {1, 0, 0, 0, 0, 1, 0, 0};
  tensors.at("layers.0.attention.key.weight").values = {0, 0, 1, 0, 0, 0, 0, 1};
  return std::make_shared<Model>(config, std::move(tensors));
}

TEST(Kernel, AQueryOrthogonalToEveryKeyGivesZerosAndIsCounted) {
  FloatCloud cloud = random_cloud(50, 4, small_fields());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    cloud.row(i)[2] = 0.37F * static_cast<float>(i + 1);
    cloud.row(i)[3] = 2.0F * cloud.row(i)[2];  // keys along (1, 2)
  }
  cloud.row(7)[0] = 2.2F;
  cloud.row(7)[1] = -1.1F;  // a query across
  for (const Device device : {Device::reference, Device::cpu}) {
    Encoder encoder = make_encoder(crossed_model(Similarity::quadratic), device);
    EncodeInput input;
    input.surface = cloud.view();
    std::vector<double> rows(50 * 4);
    EXPECT_EQ(encoder.encode(input, rows.data()).guarded_rows, 1U);
    const std::vector<float>& bias = encoder.model().tensor("layers.0.attention.output.bias").values;
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(rows[7 * 4 + c], static_cast<double>(bias[c]));
    for (double value : rows) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Kernel, AllKeysMinus20AreRight) {
  FloatCloud cloud = random_cloud(700, 4, small_fields());
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (std::size_t c : {2U, 3U}) cloud.row(i)[c] = -20.0F + 0.5F * cloud.row(i)[c];
  for (const Similarity similarity :
       {Similarity::elu, Similarity::quadratic, Similarity::taylor, Similarity::favor}) {
    const ModelPtr model = crossed_model(similarity);
    Encoder cpu = make_encoder(model, Device::cpu), exact = make_encoder(model, Device::reference);
    EXPECT_LE(relative_l2(encode(cpu, cloud), encode(exact, cloud)), 1e-4) << static_cast<int>(similarity);
  }
}

}  // namespace
}  // namespace pcl_attention::test
