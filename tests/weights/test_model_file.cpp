// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "files/safetensors.h"
#include "pcl_attention/error.h"
#include "pcl_attention/model.h"
#include "support/data.h"

namespace pcl_attention::test {
namespace {

ModelPtr small_model() {
  ModelConfig config = make_preset("linformer")->config();
  config.channels = 6;
  config.heads = 2;
  config.head_width = 3;
  config.depth = 1;
  config.feed_forward = 4;
  config.projection.k = 2;
  config.projection.length = 5;
  return make_random_model(config, 9);
}

class ModelFile : public testing::Test {
 protected:
  /// Saves the small model, changes the file and returns how loading refuses it.
  std::string refusal(const std::function<void(SafetensorsFile&)>& change) {
    const std::string path = folder_ / "model.safetensors";
    save_model(*small_model(), path);
    SafetensorsFile file = read_safetensors(path);
    change(file);
    write_safetensors(file, path);
    try {
      load_model(path);
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path, 0), 0U) << error.what();
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ModelFile, SaveAndLoadKeepEveryBit) {
  const ModelPtr model = small_model();
  save_model(*model, folder_ / "model.safetensors");
  const ModelPtr loaded = load_model(folder_ / "model.safetensors");
  EXPECT_EQ(loaded->hash(), model->hash());
  EXPECT_EQ(loaded->num_parameters(), model->num_parameters());
  EXPECT_EQ(open_model(folder_ / "model.safetensors")->hash(), model->hash());
  EXPECT_EQ(open_model("preset:full", 4)->hash(), make_preset("full", 4)->hash());
}

TEST_F(ModelFile, FaultsAreRefusedByName) {
  const std::string bias = "layers.0.attention.output.bias";
  EXPECT_EQ(refusal([](SafetensorsFile&) {}), "");
  EXPECT_NE(refusal([&](SafetensorsFile& f) { f.tensors.erase(bias); }).find(bias), std::string::npos);
  EXPECT_NE(refusal([&](SafetensorsFile& f) { f.tensors["extra"] = f.tensors[bias]; }).find("extra"),
            std::string::npos);
  EXPECT_NE(refusal([&](SafetensorsFile& f) {
              f.tensors[bias] = make_f32_tensor({7}, std::vector<float>(7));
            }).find("[7]"),
            std::string::npos);
  EXPECT_NE(refusal([&](SafetensorsFile& f) {
              f.tensors[bias] =
                  make_f32_tensor({6}, std::vector<float>(6, std::numeric_limits<float>::quiet_NaN()));
            }).find(bias),
            std::string::npos);
  EXPECT_NE(refusal([&](SafetensorsFile& f) { f.tensors[bias].type = TensorType::i32; }).find(bias),
            std::string::npos);
  EXPECT_NE(refusal([](SafetensorsFile& f) { f.metadata.clear(); }).find("import"), std::string::npos);
  EXPECT_NE(refusal([](SafetensorsFile& f) { f.metadata["pcl_attention"] = "{}"; }).find("format_version"),
            std::string::npos);
}

TEST_F(ModelFile, HalfPrecisionIsConverted) {
  const std::string name = "layers.0.attention.output.bias";
  const std::string path = folder_ / "model.safetensors";
  save_model(*small_model(), path);
  SafetensorsFile file = read_safetensors(path);
  StoredTensor half{TensorType::bf16, {6}, std::vector<std::byte>(12)};
  half.bytes[1] = std::byte{0x3F};
  half.bytes[0] = std::byte{0x80};  // 1.0
  file.tensors[name] = half;
  write_safetensors(file, path);
  EXPECT_EQ(load_model(path)->tensor(name).values, (std::vector<float>{1, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace pcl_attention::test
