// SPDX-License-Identifier: BSD-3-Clause
// The models that ship against the network that was trained: fields and logits of a small generated cloud.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "files/safetensors.h"
#include "neighbourhood/described.h"
#include "pcl_attention/encoder.h"
#include "support/compare.h"
#include "support/data.h"

namespace pcl_attention::test {
namespace {

std::string shipped(const std::string& name) {
  return fixture("../../src/weights/outlier/" + name + ".safetensors");
}

/// Points, fields and logits as the training has them.
class Trained {
 public:
  Trained() : file_(read_safetensors(fixture("outlier/generated_room.safetensors"))) {
    cloud.names = {"x", "y", "z"};
    cloud.values = numbers("points");
    std::copy_n(numbers("sensor").begin(), 3, sensor.begin());
  }

  std::vector<float> numbers(const std::string& name) const {
    return to_floats(file_.tensors.at(name), name);
  }

  std::vector<float> encoded(Encoder& encoder, const FloatCloud& points) const {
    EncodeInput input;
    input.surface = points.view();
    input.sensor_origin = sensor;
    std::vector<float> rows(points.size());
    encoder.encode(input, rows.data());
    return rows;
  }

  FloatCloud cloud;
  std::array<double, 3> sensor{};

 private:
  SafetensorsFile file_;
};

class OutlierModel : public testing::TestWithParam<const char*> {
 protected:
  Encoder make(Device device) const {
    EncoderOptions options;
    options.device = device;
    return Encoder(model, options);
  }

  ModelPtr model = load_model(shipped(GetParam()));
  Trained trained;

  std::vector<float> logits() const {
    return trained.numbers(needs_sensor_origin(model->config().input) ? "logits_sensor" : "logits");
  }
};

TEST_P(OutlierModel, BothEnginesGiveTheTrainedLogits) {
  for (const Device device : {Device::reference, Device::cpu}) {
    Encoder encoder = make(device);
    EXPECT_LE(relative_l2(trained.encoded(encoder, trained.cloud), logits()), 1e-5) << encoder.engine();
  }
}

TEST_P(OutlierModel, ShufflesChangeNoBit) {
  Encoder encoder = make(Device::cpu);
  const std::vector<float> rows = trained.encoded(encoder, trained.cloud);
  const std::vector<std::uint32_t> source = random_permutation(static_cast<std::uint32_t>(rows.size()), 9);
  std::vector<float> moved;
  for (const std::uint32_t point : source) moved.push_back(rows[point]);
  EXPECT_TRUE(same_bits(trained.encoded(encoder, permuted(trained.cloud, source)), moved));
}

TEST_P(OutlierModel, IsSmallAndGivesOneLogit) {
  EXPECT_EQ(model->config().output_width(), 1U);
  EXPECT_FALSE(model->config().random_weights);
  EXPECT_LE(std::filesystem::file_size(shipped(GetParam())), 300'000U);
}

TEST_P(OutlierModel, MarksSomePointsAndKeepsMost) {
  const std::vector<float> trained_logits = logits();
  const auto removed =
      std::count_if(trained_logits.begin(), trained_logits.end(), [](float l) { return l > 0.0F; });
  EXPECT_GT(removed, 10);
  EXPECT_LT(removed, 150);
}

INSTANTIATE_TEST_SUITE_P(Shipped, OutlierModel, testing::Values("outlier", "outlier_sensor"));

TEST(OutlierFields, AreThoseOfTheTraining) {
  const Trained trained;
  ModelConfig config = neighbourhood_config();
  config.input.normalization = Normalization::unit_sphere;
  const auto set_sensor = [&](EncodeInput& input) { input.sensor_origin = trained.sensor; };
  const Described described = describe(trained.cloud, set_sensor, 0, config);
  const std::vector<float> fields = trained.numbers("fields");
  ASSERT_EQ(described.rows.size(), fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i)
    ASSERT_NEAR(described.rows[i], fields[i], 1e-5) << "field " << i % kNeighbourhoodFields;
}

}  // namespace
}  // namespace pcl_attention::test
