// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attention/networks.h"
#include "pcl_attention/import.h"
#include "support/compare.h"
#include "support/errors.h"
#include "weights/random.h"

namespace pcl_attention::test {
namespace {

/// Returns a model whose every stored E [k × N] has e(i, r) in row i, column r.
template <class Entry>
ModelPtr model_with(const ModelConfig& config, const Entry& e) {
  const ModelPtr random = make_random_model(config, 3);
  TensorMap tensors = random->tensors();
  for (auto& [name, tensor] : tensors) {
    if (name.find("projection") == std::string::npos || tensor.shape.size() != 2) continue;
    for (std::size_t i = 0; i < tensor.values.size(); ++i)
      tensor.values[i] = static_cast<float>(e(i / tensor.shape[1], i % tensor.shape[1]));
  }
  return std::make_shared<Model>(config, tensors);
}

double cosine(std::size_t m, std::size_t rank, std::size_t length) {
  return std::cos(std::acos(-1.0) * static_cast<double>(m) * (static_cast<double>(rank) + 0.5) /
                  static_cast<double>(length));
}

TEST(SmoothModel, OfASmoothProjectionGivesTheSameRows) {
  for (const Sharing sharing : {Sharing::none, Sharing::headwise, Sharing::kv, Sharing::layerwise}) {
    ModelConfig config = with_projection(Projection::learned, sharing);
    config.projection.k_reduce_by_layer = 2;
    const ModelPtr model = model_with(config, [](std::size_t i, std::size_t r) {
      return 0.3 - 0.1 * cosine(1, r, 64) + 0.05 * static_cast<double>(i) * cosine(7, r, 64);
    });
    const SmoothModel smooth = smooth_model(*model, 8);
    EXPECT_EQ(smooth.model->config().projection.kind, Projection::smooth);
    EXPECT_EQ(smooth.model->config().projection.cosines, 8U);
    EXPECT_EQ(smooth.model->config().projection.length, 64U);
    EXPECT_EQ(smooth.model->config().random_weights, model->config().random_weights);
    EXPECT_FALSE(smooth.fits.empty());
    for (const ProjectionFit& fit : smooth.fits) {
      EXPECT_LE(fit.relative_residual, 1e-6) << fit.name;
      const Tensor& c = smooth.model->tensor(fit.name + ".weight");
      EXPECT_EQ(c.shape[1], 8U);
      EXPECT_NEAR(static_cast<double>(c.values[8 + 7]), 0.05, 1e-7) << fit.name;
      EXPECT_NEAR(static_cast<double>(c.values[0]), 0.3, 1e-7) << fit.name;
    }
    const FloatCloud cloud = random_cloud(64, 5, small_fields());
    for (const Device device : {Device::reference, Device::cpu}) {
      Encoder before = make_encoder(model, device), after = make_encoder(smooth.model, device);
      EXPECT_LE(relative_l2(encode(after, cloud), encode(before, cloud)), 2e-6);
    }
  }
}

TEST(SmoothModel, LeavesNoiseOutAsMuchAsThereAreMoreRanksThanCosines) {
  RandomSequence random(1, 2);
  ModelConfig config = with_projection(Projection::learned);
  config.projection.k = 40;
  config.projection.length = 512;
  const ModelPtr model = model_with(config, [&](std::size_t, std::size_t) { return random.normal(); });
  for (const std::size_t cosines : {1U, 32U, 256U, 512U}) {
    const SmoothModel smooth = smooth_model(*model, cosines);
    ASSERT_EQ(smooth.fits.size(), 1U);
    EXPECT_EQ(smooth.fits[0].name, "projection");
    EXPECT_NEAR(smooth.fits[0].relative_residual, std::sqrt(1.0 - static_cast<double>(cosines) / 512), 0.01);
  }
}

TEST(SmoothModel, TakesAnyNumberOfPoints) {
  ModelConfig config = with_projection(Projection::learned);
  config.projection.length_policy = LengthPolicy::strict;
  Encoder encoder = make_encoder(smooth_model(*make_random_model(config, 1), 16).model, Device::cpu);
  for (const std::size_t n : {1U, 63U, 64U, 1000U})
    EXPECT_EQ(encode(encoder, random_cloud(n, 2, small_fields())).size(), n * config.channels);
}

TEST(SmoothModel, ConstantsGetABiasOfZeros) {
  const ModelPtr fixed = make_random_model(with_projection(Projection::fixed), 1);
  const SmoothModel smooth = smooth_model(*fixed);
  EXPECT_EQ(smooth.model->tensor("projection.bias").values, std::vector<float>(7, 0.0F));
}

TEST(SmoothModel, NothingToProjectIsAnError) {
  for (const ModelConfig& config :
       {with_mechanism(Mechanism::full), with_projection(Projection::segment_mean), with_convolution({3}),
        with_projection(Projection::smooth)})
    EXPECT_THROW(smooth_model(*make_random_model(config, 1), 8), std::invalid_argument);
  const ModelPtr model = make_random_model(with_projection(Projection::learned), 1);
  for (const std::size_t cosines : {0U, 65U}) {
    const std::string message = message_of<std::invalid_argument>([&] { smooth_model(*model, cosines); });
    EXPECT_TRUE(contains(message, "1 to 64")) << message;
  }
}

}  // namespace
}  // namespace pcl_attention::test
