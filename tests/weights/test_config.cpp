// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "pcl_attention/error.h"
#include "pcl_attention/model.h"

namespace pcl_attention::test {
namespace {

ModelConfig some_config() {
  ModelConfig config = make_preset("linformer")->config();
  config.input.fields = {{"x"}, {"y"}, {"z"}, {"rgb", 3}, {"intensity", 1, 1.0 / 255}};
  config.projection.sharing = Sharing::kv;
  config.projection.k_reduce_by_layer = 3;
  config.masked_points = MaskedPoints::zeroed;
  config.causal = CausalMask::legacy;
  config.decoder = true;
  config.dropout = 0.25;
  config.feed_forward_dropout = 0.5;
  config.projection.strides = {3, 4};
  config.projection.cosines = 40;
  config.projection.learned_anchors = true;
  config.projection.mlp_width = 12;
  return config;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Config, JsonRoundTripKeepsEverything) {
  for (const std::string& name : preset_names()) {
    const std::string text = config_to_json(make_preset(name)->config());
    EXPECT_EQ(config_to_json(config_from_json(text)), text) << name;
  }
  const std::string text = config_to_json(some_config());
  EXPECT_EQ(config_to_json(config_from_json(text)), text);
  EXPECT_EQ(config_from_json(text).projected_rows(1), 128U);
  EXPECT_EQ(config_from_json(text).dropout, 0.25);
}

TEST(Config, MembersLeftOutHaveDefaults) {
  const ModelConfig config =
      config_from_json(R"({"format_version": 1, "input": {"fields": [{"name": "x"}]}})");
  EXPECT_EQ(config.channels, ModelConfig().channels);
  EXPECT_EQ(config.input.fields[0].channels, 1U);
}

TEST(Config, WrongJsonIsRefusedByName) {
  const auto with = [](const std::string& members) {
    return refusal([&] {
      config_from_json(R"({"format_version": 1, "input": {"fields": [{"name": "x"}]})" + members + "}");
    });
  };
  EXPECT_NE(with(R"(, "chanels": 3)").find("chanels"), std::string::npos);
  EXPECT_NE(with(R"(, "channels": -3)").find("channels"), std::string::npos);
  EXPECT_NE(with(R"(, "channels": 3.5)").find("channels"), std::string::npos);
  EXPECT_NE(with(R"(, "channels": 0)").find("channels"), std::string::npos);
  EXPECT_NE(with(R"(, "channels": 99999999999)").find("channels"), std::string::npos);
  EXPECT_NE(with(R"(, "mechanism": "magic")").find("linformer"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"kind": "smooth", "cosines": 0})").find("cosines"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"kind": "smooth", "cosines": 9, "length": 8})").find("cosines"),
            std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"sigma": 0})").find("sigma"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"mlp_width": 99999999})").find("mlp_width"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"learned_anchors": 1})").find("learned_anchors"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"anchor_grid": [1, 2]})").find("anchor_grid"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"strides": [1, -2]})").find("strides"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": {"strides": [0]})").find("strides"), std::string::npos);
  EXPECT_NE(with(R"(, "dropout": 1.5)").find("dropout"), std::string::npos);
  EXPECT_NE(with(R"(, "projection": 3)").find("projection"), std::string::npos);
  EXPECT_NE(with(R"(, "embedding": "identity")").find("64"), std::string::npos);
  EXPECT_NE(refusal([] { config_from_json("{"); }).find("JSON"), std::string::npos);
  EXPECT_NE(refusal([] { config_from_json(R"({"format_version": 2})"); }).find("format_version"),
            std::string::npos);
  EXPECT_NE(refusal([] { config_from_json(R"({"format_version": 1})"); }).find("input.fields"),
            std::string::npos);
}

TEST(Config, ImpossibleCombinationsAreRefused) {
  const auto changed = [](const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = some_config();
    change(config);
    return refusal([&] { config.check(); });
  };
  EXPECT_EQ(changed([](ModelConfig&) {}), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.heads = 0; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.position_cell = std::nan(""); }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.input.metres = -1; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.input.fields[3].channels = 1; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.decoder = false, c.inner_channels = 5, c.feed_forward = 0; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.inner_channels = 5; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.depth = 3; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.norm = NormPlacement::pre; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.decoder = false, c.norm = NormPlacement::none; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.projection.kind = Projection::position; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.projection.strides = {1, 2, 3}; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.projection.sharing = Sharing::layerwise; }), "");
  EXPECT_NE(changed([](ModelConfig& c) { c.channels = 63, c.position_encoding = PositionEncoding::rank; }),
            "");
}

}  // namespace
}  // namespace pcl_attention::test
