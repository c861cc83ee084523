// SPDX-License-Identifier: BSD-3-Clause
// Numbers and sizes at the ends of what float32 and a frame can hold, against the double reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "attention/networks.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

/// Attention alone on the numbers of the cloud, so that scores can be told from the weights.
ModelConfig bare_config(Mechanism mechanism) { return attention_alone(with_mechanism(mechanism)); }

ModelPtr with_query_times(const Model& model, double factor) {
  TensorMap tensors = model.tensors();
  for (auto& [name, tensor] : tensors)
    if (name.find("attention.query.weight") != std::string::npos)
      for (float& value : tensor.values) value = static_cast<float>(static_cast<double>(value) * factor);
  return std::make_shared<Model>(model.config(), std::move(tensors));
}

/// Returns W x of the rows of one head.
std::vector<double> mapped(const Tensor& weight, std::size_t first, std::size_t count, const float* x) {
  std::vector<double> y(count, 0.0);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t c = 0; c < weight.shape[1]; ++c)
      y[r] +=
          static_cast<double>(weight.values[(first + r) * weight.shape[1] + c]) * static_cast<double>(x[c]);
  return y;
}

/// Returns the largest |q · k| / √D of bare full attention.
double largest_score(const Model& model, const FloatCloud& cloud) {
  const Tensor &query = model.tensor("layers.0.attention.query.weight"),
               &key = model.tensor("layers.0.attention.key.weight");
  const std::size_t width = model.config().head_width;
  double largest = 0.0;
  for (std::size_t row = 0; row < query.shape[0]; row += width)
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const std::vector<double> q = mapped(query, row, width, cloud.row(i));
      for (std::size_t j = 0; j < cloud.size(); ++j) {
        const std::vector<double> k = mapped(key, row, width, cloud.row(j));
        double score = 0.0;
        for (std::size_t c = 0; c < width; ++c) score += q[c] * k[c];
        largest = std::max(largest, std::abs(score));
      }
    }
  return largest / std::sqrt(static_cast<double>(width));
}

double difference(const ModelPtr& model, const FloatCloud& cloud) {
  Encoder cpu = make_encoder(model, Device::cpu), reference = make_encoder(model, Device::reference);
  return relative_l2(encode(cpu, cloud), encode(reference, cloud));
}

TEST(Extremes, LargeScoresAreFiniteAndRight) {
  const FloatCloud cloud = random_cloud(200, 5, small_fields());
  for (const Mechanism mechanism : {Mechanism::full, Mechanism::linformer}) {
    const ModelPtr plain = make_random_model(bare_config(mechanism), 2);
    const double of_plain = largest_score(*make_random_model(bare_config(Mechanism::full), 2), cloud);
    // Rounded to float, a score of 1e4 is off by up to 5e-4, which its weight takes over.
    for (const auto& [size, tolerance] : {std::pair{1e4, 1e-3}, std::pair{1e30, 1e-3}})
      EXPECT_LE(difference(with_query_times(*plain, size / of_plain), cloud), tolerance) << size;
  }
}

TEST(Extremes, LargeScoresOfWholeNetworksAreFiniteAndRight) {
  const FloatCloud cloud = random_cloud(200, 5, small_fields());
  for (const NamedConfig& named : all_mechanisms()) {
    const ModelPtr plain = make_random_model(named.config, 2);
    const bool squares = named.config.kernel.similarity == Similarity::rebased;  // its LayerNorm does
    for (const double factor : {1e4, squares ? 1e15 : 1e30})
      EXPECT_LE(difference(with_query_times(*plain, factor), cloud), 1e-2) << named.name << ' ' << factor;
  }
}

TEST(Extremes, RowsOfEqualScoresAreRight) {
  // Equal points: each head's scores of a row are one number, of either sign.
  FloatCloud cloud = random_cloud(1, 5, small_fields());
  for (int i = 1; i < 300; ++i)
    cloud.values.insert(cloud.values.end(), cloud.values.begin(), cloud.values.begin() + 4);
  const ModelPtr plain = make_random_model(bare_config(Mechanism::full), 2);
  const double of_plain = largest_score(*plain, cloud);
  for (const double sign : {1.0, -1.0})
    for (const double size : {1e5, 1e38})
      EXPECT_LE(difference(with_query_times(*plain, sign * size / of_plain), cloud), 1e-6) << size;
}

TEST(Extremes, DenormalsAreNumbers) {
  for (const float coordinates : {1.0F, 1e-40F})
    for (const NamedConfig& named : all_mechanisms()) {
      FloatCloud cloud = random_cloud(500, 5, small_fields());
      for (std::size_t i = 0; i < cloud.size(); ++i)
        for (std::size_t c = 0; c < 4; ++c) cloud.row(i)[c] *= c == 3 ? 1e-40F : coordinates;
      EXPECT_LE(difference(make_random_model(named.config, 2), cloud), 2e-6) << named.name;
    }
  // Not normalised, the output itself is denormal.
  const ModelPtr bare = make_random_model(bare_config(Mechanism::full), 2);
  FloatCloud cloud = random_cloud(500, 5, small_fields());
  for (float& value : cloud.values) value *= 1e-39F;
  Encoder cpu = make_encoder(bare, Device::cpu), reference = make_encoder(bare, Device::reference);
  const std::vector<double> rows = encode(cpu, cloud), expected = encode(reference, cloud);
  EXPECT_LE(relative_l2(rows, expected), 1e-2);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kManyPoints = 100000;  // sanitizers take their time
#else
constexpr std::size_t kManyPoints = 3000000;
#endif

class ManyPoints : public testing::TestWithParam<NamedConfig> {};

TEST_P(ManyPoints, AreRight) {
  ModelConfig config = GetParam().config;
  config.input.fields.pop_back();
  config.channels = 8;
  config.head_width = 4;
  config.heads = config.depth = 1;
  config.feed_forward = 0;
  config.slots = 5;
  EXPECT_LE(difference(make_random_model(config, 2), random_cloud(kManyPoints, 5, {"x", "y", "z"})), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Extremes, ManyPoints,
                         testing::ValuesIn(std::vector<NamedConfig>{
                             {"linformer", small_config()},
                             {"position", with_projection(Projection::position)},
                             {"inducing", with_slots(Mechanism::inducing)},
                             {"anchored", with_slots(Mechanism::anchored)},
                             {"elu", with_kernel(Similarity::elu)},
                             {"rebased", with_kernel(Similarity::rebased)},
                             {"favor", with_kernel(Similarity::favor)}}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace pcl_attention::test
