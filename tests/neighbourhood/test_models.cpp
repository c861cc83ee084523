// SPDX-License-Identifier: BSD-3-Clause
// Models that name neighbourhood fields: configuration, file, rows.
#include <gtest/gtest.h>

#include "attention/networks.h"
#include "neighbourhood/described.h"
#include "pcl_attention/error.h"
#include "support/compare.h"
#include "support/data.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

TEST(NeighbourhoodModel, JsonAndFileRoundTrip) {
  const ModelPtr model = make_random_model(neighbourhood_config(), 5);
  const std::string text = config_to_json(model->config());
  EXPECT_EQ(config_to_json(config_from_json(text)), text);
  const TemporaryFolder folder;
  save_model(*model, folder / "model.safetensors");
  const ModelPtr loaded = load_model(folder / "model.safetensors");
  EXPECT_EQ(loaded->hash(), model->hash());
  Encoder one = make_encoder(model, Device::cpu), other = make_encoder(loaded, Device::cpu);
  const FloatCloud cloud = random_cloud(200, 1);
  EXPECT_TRUE(same_bits(encode(one, cloud), encode(other, cloud)));
}

TEST(NeighbourhoodModel, WrongFieldsAreRefusedByName) {
  const auto refusal = [](const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = neighbourhood_config();
    change(config);
    return message_of<ModelError>([&] { config.check(); });
  };
  EXPECT_EQ(refusal([](ModelConfig&) {}), "");
  const std::string unknown = refusal([](ModelConfig& c) { c.input.fields[3].name = "neighbourhood.mood"; });
  EXPECT_TRUE(contains(unknown, "\"neighbourhood.mood\""));
  EXPECT_TRUE(contains(unknown, "neighbourhood.log_range"));
  EXPECT_TRUE(contains(refusal([](ModelConfig& c) { c.input.fields[3].channels = 2; }), "1 channel"));
  EXPECT_TRUE(contains(refusal([](ModelConfig& c) {
                         c.order = Curve::none;
                         c.mechanism = Mechanism::full;
                       }),
                       "canonical order"));
}

TEST(NeighbourhoodModel, NeedsAnOrderAndAFiniteSensor) {
  ModelConfig config = neighbourhood_config();
  config.mechanism = Mechanism::full;
  const ModelPtr model = make_random_model(config);
  EXPECT_TRUE(contains(
      message_of<std::invalid_argument>([&] { make_encoder(model, Device::cpu, Curve::none); }), "order"));
  Encoder encoder = make_encoder(model, Device::cpu);
  const auto set_sensor = [](EncodeInput& input) {
    input.sensor_origin = std::array<double, 3>{0.0, std::nan(""), 0.0};
  };
  EXPECT_TRUE(
      contains(message_of<std::invalid_argument>([&] { encode(encoder, random_cloud(9, 1), set_sensor); }),
               "sensor_origin"));
}

TEST(NeighbourhoodModel, KnowsWhetherItNeedsTheSensor) {
  InputSpec input = neighbourhood_config().input;
  EXPECT_TRUE(needs_sensor_origin(input));
  input.fields.pop_back();
  EXPECT_TRUE(needs_sensor_origin(input));
  input.fields.pop_back();
  EXPECT_FALSE(needs_sensor_origin(input));
}

TEST(NeighbourhoodModel, EnginesAgreeAndShufflesChangeNoBit) {
  const FloatCloud cloud = random_cloud(700, 2);
  const ModelPtr model = make_random_model(neighbourhood_config(), 6);
  Encoder cpu = make_encoder(model, Device::cpu), reference = make_encoder(model, Device::reference);
  const std::vector<double> rows = encode(cpu, cloud);
  EXPECT_LE(relative_l2(rows, encode(reference, cloud)), 1e-5);

  const std::vector<std::uint32_t> source = random_permutation(700, 3);
  const std::size_t width = model->config().output_width();
  std::vector<double> moved;
  for (const std::uint32_t point : source) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(point * width);
    moved.insert(moved.end(), row, row + static_cast<std::ptrdiff_t>(width));
  }
  EXPECT_TRUE(same_bits(encode(cpu, permuted(cloud, source)), moved));
}

TEST(NeighbourhoodModel, SecondFrameKnowsNothingOfTheFirst) {
  const ModelPtr model = make_random_model(neighbourhood_config(), 7);
  Encoder used = make_encoder(model, Device::cpu), fresh = make_encoder(model, Device::cpu);
  encode(used, random_cloud(500, 4));
  encode(used, random_cloud(0, 4));
  const FloatCloud cloud = random_cloud(300, 5);
  EXPECT_TRUE(same_bits(encode(used, cloud), encode(fresh, cloud)));
}

TEST(NeighbourhoodModel, QueriesOnTheSurfaceHaveItsRows) {
  const ModelPtr model = make_random_model(neighbourhood_config(), 8);
  Encoder encoder = make_encoder(model, Device::cpu);
  const FloatCloud cloud = random_cloud(257, 6);
  const CloudView queries = cloud.view();
  EXPECT_TRUE(same_bits(encode(encoder, cloud, [&](EncodeInput& input) { input.queries = &queries; }),
                        encode(encoder, cloud)));
}

}  // namespace
}  // namespace pcl_attention::test
