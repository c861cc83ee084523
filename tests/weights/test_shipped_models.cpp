// SPDX-License-Identifier: BSD-3-Clause
// The models that are part of the library, and what makes a model an outlier model.
#include "pcl_attention/outlier_model.h"

#include <gtest/gtest.h>

#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"
#include "pcl_attention/neighbourhood.h"
#include "support/data.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

ModelPtr with_metadata(const std::map<std::string, std::string>& metadata) {
  const ModelPtr shipped = shipped_outlier_model(false);
  return std::make_shared<Model>(shipped->config(), shipped->tensors(), metadata);
}

TEST(ShippedOutlierModel, IsAnOutlierModelWithAThreshold) {
  for (const bool sensor : {false, true}) {
    const ModelPtr model = shipped_outlier_model(sensor);
    EXPECT_NO_THROW(check_outlier_model(*model));
    EXPECT_EQ(needs_sensor_origin(model->config().input), sensor);
    EXPECT_EQ(model->config().output_width(), 1U);
    EXPECT_FALSE(model->config().random_weights);
    EXPECT_GT(outlier_threshold(*model), 0.0);
    EXPECT_LT(outlier_threshold(*model), 1.0);
  }
}

TEST(ShippedOutlierModel, IsOneObjectUnderItsName) {
  EXPECT_EQ(shipped_outlier_model(false), shipped_outlier_model(false));
  EXPECT_NE(shipped_outlier_model(false), shipped_outlier_model(true));
  EXPECT_EQ(open_model("shipped:outlier"), shipped_outlier_model(false));
  EXPECT_EQ(open_model("shipped:outlier-sensor"), shipped_outlier_model(true));
}

TEST(ShippedOutlierModel, KeepsMetadataInAFile) {
  const TemporaryFolder folder;
  const ModelPtr model = with_metadata({{outlier_threshold_key, "0.625"}, {"trained_on", "nothing"}});
  save_model(*model, folder / "model.safetensors");
  const ModelPtr loaded = load_model(folder / "model.safetensors");
  EXPECT_EQ(loaded->metadata(), model->metadata());
  EXPECT_EQ(outlier_threshold(*loaded), 0.625);
  EXPECT_EQ(loaded->hash(), shipped_outlier_model(false)->hash());  // of what is computed
}

TEST(OutlierModelRules, ThresholdIsANumberFromZeroToOne) {
  EXPECT_EQ(outlier_threshold(*with_metadata({})), 0.5);
  EXPECT_EQ(outlier_threshold(*with_metadata({{outlier_threshold_key, "0"}})), 0.0);
  EXPECT_EQ(outlier_threshold(*with_metadata({{outlier_threshold_key, "1e-3"}})), 0.001);
  for (const char* wrong : {"", "half", "1.5", "-0.1", "nan", "0.5 ", "0,5"}) {
    const ModelPtr model = with_metadata({{outlier_threshold_key, wrong}});
    const std::string said = message_of<ModelError>([&] { check_outlier_model(*model); });
    EXPECT_TRUE(contains(said, outlier_threshold_key)) << wrong;
    EXPECT_TRUE(contains(said, std::string("\"") + wrong + "\""));
  }
}

TEST(OutlierModelRules, OthersAreRefusedByName) {
  for (const std::size_t width : {0U, 2U}) {
    ModelConfig config = shipped_outlier_model(false)->config();
    config.name = "two heads";
    config.head_output = width;
    const ModelPtr model = make_random_model(config);
    const std::string said = message_of<ModelError>([&] { check_outlier_model(*model); });
    EXPECT_TRUE(contains(said, "two heads"));
    EXPECT_TRUE(contains(said, "came head_output " + std::to_string(width)));
  }
  ModelConfig decoder = make_preset("full")->config();
  decoder.decoder = true;
  decoder.head_output = 1;
  const ModelPtr model = make_random_model(decoder);
  EXPECT_TRUE(contains(message_of<ModelError>([&] { check_outlier_model(*model); }), "of a decoder"));
}

}  // namespace
}  // namespace pcl_attention::test
