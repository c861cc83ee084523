// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "files/safetensors.h"
#include "pcl_attention/error.h"
#include "pcl_attention/import.h"
#include "support/data.h"

namespace pcl_attention::test {
namespace {

LinformerPytorchOptions under_model() {
  LinformerPytorchOptions options;
  options.prefix = "model.";
  return options;
}

ModelPtr import_case(const std::string& name, const LinformerPytorchOptions& options = under_model()) {
  return import_linformer_pytorch(fixture("parity/" + name + ".safetensors"), options);
}

TEST(Import, ConfigurationIsReadFromNamesAndShapes) {
  const ModelConfig config = import_case("wo_intermediate")->config();
  EXPECT_EQ(config.channels, 16U);
  EXPECT_EQ(config.heads, 4U);
  EXPECT_EQ(config.head_width, 10U);
  EXPECT_EQ(config.depth, 2U);
  EXPECT_EQ(config.feed_forward, 24U);
  EXPECT_EQ(config.output_intermediate, 6U);
  EXPECT_EQ(config.projection.k, 12U);
  EXPECT_EQ(config.projection.length, 96U);
  EXPECT_EQ(config.order, Curve::none);
  EXPECT_EQ(config.embedding, Embedding::identity);
  EXPECT_EQ(import_case("no_ff_relu")->config().feed_forward, 0U);
  EXPECT_EQ(import_case("ff_intermediate")->config().inner_channels, 20U);
  EXPECT_EQ(import_case("kv_reduce")->config().projection.k_reduce_by_layer, 3U);
}

TEST(Import, SharingIsFoundFromTheCopies) {
  EXPECT_EQ(import_case("layerwise")->config().projection.sharing, Sharing::layerwise);
  EXPECT_EQ(import_case("kv_reduce")->config().projection.sharing, Sharing::kv);
  EXPECT_EQ(import_case("headwise")->config().projection.sharing, Sharing::headwise);
  EXPECT_EQ(import_case("none")->config().projection.sharing, Sharing::none);
}

class ImportFaults : public testing::Test {
 protected:
  /// Changes a parity case, imports it and returns how it is refused.
  std::string refusal(const std::string& name, const std::function<void(SafetensorsFile&)>& change,
                      const LinformerPytorchOptions& options = under_model()) {
    SafetensorsFile file = read_safetensors(fixture("parity/" + name + ".safetensors"));
    change(file);
    const std::string path = folder_ / "state.safetensors";
    write_safetensors(file, path);
    try {
      import_linformer_pytorch(path, options);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ImportFaults, AreNamed) {
  const std::string head = "model.seq.0.fn.to_k.3.weight";
  EXPECT_NE(
      refusal("none", [&](SafetensorsFile& f) { f.tensors.erase(head); }).find("seq.0.fn.to_k.3.weight"),
      std::string::npos);
  EXPECT_NE(
      refusal("none", [&](SafetensorsFile& f) { f.tensors["model.more"] = f.tensors[head]; }).find("more"),
      std::string::npos);
  const std::string e = "model.seq.2.fn.heads.1.E.weight";
  EXPECT_NE(refusal("layerwise",
                    [&](SafetensorsFile& f) { std::swap(f.tensors[e].shape[0], f.tensors[e].shape[1]); })
                .find("[96, 12]"),
            std::string::npos);
  const std::string differs =
      refusal("headwise", [&](SafetensorsFile& f) { f.tensors[e].bytes[2] ^= std::byte{1}; });
  EXPECT_NE(differs.find("seq.2.fn.heads.1.E.weight"), std::string::npos) << differs;
  LinformerPytorchOptions layerwise = under_model();
  layerwise.sharing = Sharing::layerwise;
  EXPECT_NE(refusal(
                "kv_reduce", [](SafetensorsFile&) {}, layerwise)
                .find("differ"),
            std::string::npos);
  EXPECT_NE(refusal("none", [](SafetensorsFile& f) { f.tensors.clear(); }).find("seq.0"), std::string::npos);
}

TEST_F(ImportFaults, AliasesStandForCopies) {
  const ModelPtr copies = import_case("layerwise");
  ModelPtr aliases;
  const std::string kept = "model.seq.0.fn.heads.0.E.weight";
  SafetensorsFile file = read_safetensors(fixture("parity/layerwise.safetensors"));
  file.metadata.clear();
  for (auto tensor = file.tensors.begin(); tensor != file.tensors.end();) {
    const bool copy = tensor->first != kept && (tensor->first.find(".E.weight") != std::string::npos ||
                                                tensor->first.find(".F.weight") != std::string::npos);
    if (copy) file.metadata[tensor->first] = kept;
    tensor = copy ? file.tensors.erase(tensor) : std::next(tensor);
  }
  const std::string path = folder_ / "aliases.safetensors";
  write_safetensors(file, path);
  EXPECT_EQ(import_linformer_pytorch(path, under_model())->hash(), copies->hash());
}

}  // namespace
}  // namespace pcl_attention::test
