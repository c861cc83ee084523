// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pcl_attention/error.h"
#include "pcl_attention/model.h"

namespace pcl_attention::test {
namespace {

TEST(Presets, AreDifferentAndMarkedAsRandom) {
  std::set<std::string> hashes;
  for (const std::string& name : preset_names()) {
    const ModelPtr model = make_preset(name, 1);
    EXPECT_TRUE(model->config().random_weights);
    EXPECT_EQ(model->config().name, "preset:" + name);
    EXPECT_TRUE(hashes.insert(model->hash()).second) << name;
    EXPECT_FALSE(hashes.insert(make_preset(name, 1)->hash()).second) << name;
    EXPECT_TRUE(hashes.insert(make_preset(name, 2)->hash()).second) << name;
  }
  EXPECT_THROW(make_preset("lin"), std::invalid_argument);
}

// The numbers of a seed are part of the interface: they are the same on every platform.
TEST(Presets, SeedsKeepTheirNumbers) {
  const ModelPtr model = make_preset("linformer", 0);
  const auto first = [&](const char* name) {
    const std::vector<float>& values = model->tensor(name).values;
    return std::vector<float>(values.begin(), values.begin() + 3);
  };
  EXPECT_EQ(first("layers.0.attention.query.weight"),
            (std::vector<float>{-0.04918225109577179F, 0.06357179582118988F, 0.09200963377952576F}));
  EXPECT_EQ(first("projection.weight"),
            (std::vector<float>{0.02205910161137581F, -0.005247985478490591F, 0.025132104754447937F}));
}

TEST(Presets, WeightsAreInitialisedAsInLinformerPytorch) {
  const ModelPtr model = make_preset("linformer", 3);
  const auto largest = [&](const char* name) {
    float value = 0.0F;
    for (float one : model->tensor(name).values) value = std::max(value, std::abs(one));
    return static_cast<double>(value);
  };
  EXPECT_NEAR(largest("layers.0.attention.query.weight"), 1.0 / 8, 1e-3);
  EXPECT_NEAR(largest("layers.1.feed_forward.1.weight"), 1.0 / std::sqrt(128.0), 1e-3);
  EXPECT_NEAR(largest("layers.1.feed_forward.1.bias"), 1.0 / std::sqrt(128.0), 5e-3);
  EXPECT_NEAR(largest("projection.bias"), 1.0 / 64, 1e-3);
  double squares = 0.0;
  const Tensor& projection = model->tensor("projection.weight");
  for (float one : projection.values) squares += static_cast<double>(one) * static_cast<double>(one);
  EXPECT_NEAR(squares / static_cast<double>(projection.values.size()), 2.0 / (128 + 4096), 1e-5);
  for (float one : model->tensor("layers.0.attention.norm.weight").values) EXPECT_EQ(one, 1.0F);
  for (float one : model->tensor("layers.0.attention.norm.bias").values) EXPECT_EQ(one, 0.0F);
}

TEST(Presets, CosinesAreInitialisedAsAProjectedRandomE) {
  const ModelPtr model = make_preset("linformer-smooth", 3);
  const Tensor& weight = model->tensor("projection.weight");
  EXPECT_EQ(weight.shape, (std::vector<std::size_t>{128, 32}));
  EXPECT_EQ(model->tensor("projection.bias").shape, (std::vector<std::size_t>{128}));
  double constant = 0.0, others = 0.0;
  for (std::size_t i = 0; i < weight.values.size(); ++i)
    (i % 32 == 0 ? constant : others) += std::pow(static_cast<double>(weight.values[i]), 2);
  const double variance = 2.0 / (128 + 4096);
  EXPECT_NEAR(constant / 128, variance / 4096, 0.3 * variance / 4096);
  EXPECT_NEAR(others / (128 * 31), 2.0 * variance / 4096, 0.1 * variance / 4096);
}

TEST(Presets, PositionHasOneSetOfAnchorsAndOneMap) {
  ModelConfig config = make_preset("position")->config();
  config.projection.learned_anchors = true;
  config.projection.mlp_width = 16;
  const ModelPtr model = make_random_model(config, 1);
  EXPECT_EQ(model->tensor("projection.anchors").shape, (std::vector<std::size_t>{128, 3}));
  EXPECT_EQ(model->tensor("projection.mlp.0.weight").shape, (std::vector<std::size_t>{16, 3}));
  EXPECT_EQ(model->tensor("projection.mlp.1.weight").shape, (std::vector<std::size_t>{128, 16}));
  for (float one : model->tensor("projection.mlp.1.weight").values) EXPECT_LE(std::abs(one), 0.25F);
  double squares = 0.0;
  for (float one : model->tensor("projection.anchors").values) squares += static_cast<double>(one * one);
  EXPECT_NEAR(squares / (3 * 128), 0.25, 0.05);
}

TEST(Presets, SharingModesHoldTheirNumberOfProjections) {
  // 12 layers of 12 heads: 288, 24, 12 and 1 matrices.
  const std::pair<Sharing, std::size_t> expected[] = {
      {Sharing::none, 288}, {Sharing::headwise, 24}, {Sharing::kv, 12}, {Sharing::layerwise, 1}};
  for (const auto& [sharing, count] : expected) {
    ModelConfig config = make_preset("linformer")->config();
    config.depth = config.heads = 12;
    config.projection.sharing = sharing;
    std::size_t matrices = 0;
    for (const TensorSpec& spec : tensor_specs(config))
      matrices += spec.shape.size() == 2 && spec.name.find("projection") != std::string::npos ? 1 : 0;
    EXPECT_EQ(matrices, count);
  }
}

}  // namespace
}  // namespace pcl_attention::test
