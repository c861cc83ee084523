// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "files/safetensors.h"
#include "pcl_attention/error.h"
#include "pcl_attention/import.h"
#include "support/data.h"
#include "support/errors.h"

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
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ImportFaults, TruncatedFile) {
  const std::string path = folder_ / "cut.safetensors";
  std::filesystem::copy_file(fixture("parity/none.safetensors"), path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  const std::string message = message_of<FileError>([&] { import_linformer_pytorch(path, under_model()); });
  EXPECT_TRUE(contains(message, "cut.safetensors")) << message;
}

TEST_F(ImportFaults, TransposedProjection) {
  const std::string e = "model.seq.2.fn.heads.1.E.weight";
  const std::string message = refusal(
      "layerwise", [&](SafetensorsFile& f) { std::swap(f.tensors[e].shape[0], f.tensors[e].shape[1]); });
  for (const char* part : {e.c_str(), "[96, 12]", "[k, n] = [12, 96]", "transposed"})
    EXPECT_TRUE(contains(message, part));
}

bool is_any_in(const std::vector<std::string>& parts, const std::string& name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

TEST_F(ImportFaults, MissingHead) {
  const auto without = [&](const std::vector<std::string>& parts) {
    return refusal("none", [&](SafetensorsFile& f) {
      for (auto tensor = f.tensors.begin(); tensor != f.tensors.end();)
        tensor = is_any_in(parts, tensor->first) ? f.tensors.erase(tensor) : std::next(tensor);
    });
  };
  EXPECT_TRUE(contains(without({"seq.0.fn.to_k.3"}), "model.seq.0.fn.to_k.3.weight [4, 16] is missing"));
  EXPECT_TRUE(contains(without({"seq.2.fn.heads.3.F.bias"}), "model.seq.2.fn.heads.3.F.bias is missing"));
  const std::string all = without({"to_q.3.", "to_k.3.", "to_v.3.", "heads.3."});
  for (const char* part : {"3 heads of width 4", "model.seq.0.fn.w_o.weight", "takes 16"})
    EXPECT_TRUE(contains(all, part));
}

TEST_F(ImportFaults, CopiesThatDiffer) {
  const auto damaged = [&](const std::string& name, const std::string& tensor) {
    return refusal(name, [&](SafetensorsFile& f) { f.tensors.at(tensor).bytes[2] ^= std::byte{1}; });
  };
  for (const char* name : {"layerwise", "headwise", "kv_reduce"})
    for (const char* tensor : {"model.seq.2.fn.heads.1.E.weight", "model.seq.2.fn.heads.0.F.bias"}) {
      const std::string message = damaged(name, tensor);
      EXPECT_TRUE(contains(message, "differ")) << name;
      EXPECT_TRUE(contains(message, "must be equal")) << name;
      EXPECT_TRUE(contains(message, "model.seq.2.fn.heads.")) << name;
    }
}

TEST_F(ImportFaults, WrongNumberOfHeads) {
  LinformerPytorchOptions options = under_model();
  options.heads = 8;
  const std::string message = refusal(
      "none", [](SafetensorsFile&) {}, options);
  for (const char* part : {"4 heads of width 4", "not 8"}) EXPECT_TRUE(contains(message, part));
  options.heads = 4;
  EXPECT_EQ(refusal(
                "none", [](SafetensorsFile&) {}, options),
            "");
}

TEST_F(ImportFaults, WrongOptions) {
  const auto with = [&](const std::string& name,
                        const std::function<void(LinformerPytorchOptions&)>& change) {
    LinformerPytorchOptions options = under_model();
    change(options);
    return refusal(
        name, [](SafetensorsFile&) {}, options);
  };
  EXPECT_TRUE(contains(with("convolution", [](auto&) {}), "method convolution"));
  EXPECT_TRUE(
      contains(with("none", [](auto& o) { o.method = Projection::convolution; }), "method learnable"));
  EXPECT_TRUE(contains(with("none", [](auto& o) { o.method = Projection::fixed; }), "fixed_projection.0.E"));
  EXPECT_TRUE(contains(with("no_params", [](auto&) {}), "no_params"));
  EXPECT_TRUE(contains(with("kv_reduce", [](auto& o) { o.sharing = Sharing::layerwise; }), "differ"));
  EXPECT_TRUE(contains(with("kv_reduce", [](auto& o) { o.decoder = true; }), "3 attention modules"));
  EXPECT_TRUE(contains(with("head_alone", [](auto&) {}), "width"));
  EXPECT_TRUE(contains(with("none", [](auto& o) { o.prefix = "net."; }), "net.seq.0.fn.to_q.0.weight"));
  EXPECT_TRUE(contains(with("none", [](auto& o) { o.fields = {"x", "y"}; }), "16 input channels"));
}

TEST_F(ImportFaults, OtherTensors) {
  const std::string key = "model.seq.0.fn.to_k.3.weight";
  EXPECT_TRUE(contains(refusal("none", [&](SafetensorsFile& f) { f.tensors["model.more"] = f.tensors[key]; }),
                       "model.more [4, 16]"));
  EXPECT_TRUE(contains(refusal("none", [](SafetensorsFile& f) { f.tensors.clear(); }), "seq.0"));
  EXPECT_TRUE(contains(refusal("none",
                               [&](SafetensorsFile& f) {
                                 f.tensors[key] = make_f32_tensor({4, 16}, std::vector<float>(64, INFINITY));
                               }),
                       key));
  EXPECT_TRUE(
      contains(refusal("none", [&](SafetensorsFile& f) { f.tensors[key].type = TensorType::i32; }), key));
}

TEST_F(ImportFaults, DoublesAreRounded) {
  SafetensorsFile file = read_safetensors(fixture("parity/none.safetensors"));
  for (auto& [name, tensor] : file.tensors) {
    if (tensor.type != TensorType::f32) continue;
    const std::vector<double> numbers = to_doubles(tensor, name);
    tensor.type = TensorType::f64;
    tensor.bytes.resize(numbers.size() * sizeof(double));
    std::memcpy(tensor.bytes.data(), numbers.data(), tensor.bytes.size());
  }
  const std::string path = folder_ / "doubles.safetensors";
  write_safetensors(file, path);
  EXPECT_EQ(import_linformer_pytorch(path, under_model())->hash(), import_case("none")->hash());
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

LucidrainsLinformerOptions lucidrains(std::optional<std::size_t> heads = {}) {
  LucidrainsLinformerOptions options;
  options.prefix = "model.";
  options.heads = heads;
  return options;
}

TEST(LucidrainsImport, ConfigurationIsReadFromNamesAndShapes) {
  const ModelConfig separate =
      import_lucidrains_linformer(fixture("parity/lucidrains.safetensors"), lucidrains(3))->config();
  EXPECT_EQ(separate.heads, 3U);
  EXPECT_EQ(separate.head_width, 4U);
  EXPECT_EQ(separate.feed_forward, 48U);
  EXPECT_EQ(separate.norm, NormPlacement::pre);
  EXPECT_EQ(separate.projection.k, 6U);
  EXPECT_EQ(separate.projection.length, 48U);
  EXPECT_EQ(separate.projection.length_policy, LengthPolicy::slice);
  EXPECT_EQ(separate.projection.sharing, Sharing::headwise);
  const ModelConfig shared =
      import_lucidrains_linformer(fixture("parity/lucidrains_one_kv_head.safetensors"), lucidrains())
          ->config();
  EXPECT_EQ(shared.heads, 3U);
  EXPECT_EQ(shared.head_width, 5U);
  EXPECT_EQ(shared.projection.sharing, Sharing::kv);
}

TEST(LucidrainsImport, FaultsAreNamed) {
  TemporaryFolder folder;
  const auto refusal = [&](const std::function<void(SafetensorsFile&)>& change,
                           const LucidrainsLinformerOptions& options) {
    SafetensorsFile file = read_safetensors(fixture("parity/lucidrains.safetensors"));
    change(file);
    const std::string path = folder / "state.safetensors";
    write_safetensors(file, path);
    return message_of<ModelError>([&] { import_lucidrains_linformer(path, options); });
  };
  const auto as_is = [](SafetensorsFile&) {};
  EXPECT_TRUE(contains(refusal(as_is, lucidrains()), "give the number of heads"));
  EXPECT_TRUE(contains(refusal(as_is, lucidrains(5)), "5 heads"));
  EXPECT_TRUE(contains(
      refusal([](SafetensorsFile& f) { f.tensors.erase("model.net.layers.1.0.fn.proj_v"); }, lucidrains(3)),
      "model.net.layers.1.0.fn.proj_v [48, 6] is missing"));
  EXPECT_TRUE(contains(refusal(
                           [](SafetensorsFile& f) {
                             StoredTensor& tensor = f.tensors["model.net.layers.1.0.fn.proj_k"];
                             std::swap(tensor.shape[0], tensor.shape[1]);
                           },
                           lucidrains(3)),
                       "[6, 48], expected [48, 6]"));
  EXPECT_TRUE(contains(refusal(
                           [](SafetensorsFile& f) {
                             f.tensors["model.net.blocks.0.f.net.norm.bias"] =
                                 make_f32_tensor({12}, std::vector<float>(12));
                           },
                           lucidrains(3)),
                       "reversible"));
  EXPECT_TRUE(contains(refusal(
                           [](SafetensorsFile& f) {
                             f.tensors["model.net.layers.0.1.fn.w1.weight"] =
                                 make_f32_tensor({96, 12}, std::vector<float>(1152));
                           },
                           lucidrains(3)),
                       "gated"));
}

/// A layer of 6 channels with 2 heads, feature width 3 and values of width 4.
SafetensorsFile rebased_state(bool norm) {
  SafetensorsFile file;
  float next = 0.1F;
  const auto add = [&](const std::string& name, const std::vector<std::size_t>& shape) {
    std::size_t count = 1;
    for (std::size_t size : shape) count *= size;
    std::vector<float> values(count);
    for (float& value : values) value = next = next > 0.9F ? next - 1.9F : next + 0.37F;
    file.tensors["mixer." + name] = make_f32_tensor(shape, values);
  };
  add("proj_q.weight", {6, 6});
  add("proj_k.weight", {6, 6});
  add("proj_v.weight", {8, 6});
  add("proj_o.weight", {6, 8});
  for (const char* part : {"ln_q", "ln_k"}) {
    if (!norm) continue;
    add(std::string(part) + ".weight", {6});
    add(std::string(part) + ".bias", {6});
  }
  return file;
}

class RebasedImport : public testing::Test {
 protected:
  std::string write(const SafetensorsFile& file) {
    write_safetensors(file, folder_ / "state.safetensors");
    return folder_ / "state.safetensors";
  }
  static RebasedOptions options(std::size_t heads = 2, bool constant = false) {
    RebasedOptions result;
    result.prefix = "mixer.";
    result.heads = heads;
    result.constant = constant;
    return result;
  }
  TemporaryFolder folder_;
};

TEST_F(RebasedImport, ConfigurationIsReadFromNamesAndShapes) {
  const ModelConfig config = import_rebased(write(rebased_state(true)), options(2, true))->config();
  EXPECT_EQ(config.mechanism, Mechanism::kernel);
  EXPECT_EQ(config.kernel.similarity, Similarity::rebased);
  EXPECT_TRUE(config.kernel.constant);
  EXPECT_EQ(config.head_width, 3U);
  EXPECT_EQ(config.value_width(), 4U);
  EXPECT_EQ(config.norm, NormPlacement::none);
  EXPECT_EQ(import_rebased(write(rebased_state(false)), options())->config().kernel.similarity,
            Similarity::quadratic);
}

TEST_F(RebasedImport, AScaleBecomesPartOfTheMap) {
  SafetensorsFile file = rebased_state(false);
  const ModelPtr plain = import_rebased(write(file), options());
  for (const char* part : {"ln_q", "ln_k"}) {
    file.tensors[std::string("mixer.") + part + ".gamma"] = make_f32_tensor({6}, {1, 2, 3, 4, 5, 6});
    file.tensors[std::string("mixer.") + part + ".beta"] = make_f32_tensor({6}, std::vector<float>(6));
  }
  const ModelPtr scaled = import_rebased(write(file), options());
  const auto& before = plain->tensor("layers.0.attention.key.weight").values;
  const auto& after = scaled->tensor("layers.0.attention.key.weight").values;
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(after[i], before[i] * static_cast<float>(i / 6 + 1));
  file.tensors["mixer.ln_k.beta"] = make_f32_tensor({6}, {0, 0, 0, 1, 0, 0});
  EXPECT_TRUE(
      contains(message_of<ModelError>([&] { import_rebased(write(file), options()); }), "mixer.ln_k.beta"));
}

TEST_F(RebasedImport, FaultsAreNamed) {
  const auto refusal = [&](const RebasedOptions& with, const std::function<void(SafetensorsFile&)>& change) {
    SafetensorsFile file = rebased_state(true);
    change(file);
    return message_of<ModelError>([&] { import_rebased(write(file), with); });
  };
  const auto as_is = [](SafetensorsFile&) {};
  RebasedOptions no_heads = options();
  no_heads.heads.reset();
  EXPECT_TRUE(contains(refusal(no_heads, as_is), "give the number of heads"));
  EXPECT_TRUE(contains(refusal(options(5), as_is), "5 heads"));
  EXPECT_TRUE(contains(refusal(options(), [](SafetensorsFile& f) { f.tensors.erase("mixer.ln_k.bias"); }),
                       "mixer.ln_k.bias [6] is missing"));
  EXPECT_TRUE(contains(refusal(options(2, true),
                               [](SafetensorsFile& f) {
                                 for (const char* name : {"ln_q.weight", "ln_q.bias"})
                                   f.tensors.erase(std::string("mixer.") + name);
                               }),
                       "mixer.ln_q.weight"));
}

}  // namespace
}  // namespace pcl_attention::test
