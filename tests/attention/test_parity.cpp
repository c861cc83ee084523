// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "attention/parity_case.h"
#include "support/compare.h"
#include "support/cuda.h"

namespace pcl_attention::test {
namespace {

constexpr double kTolerance = 1e-12, kFloatTolerance = 2e-6;

struct CaseOptions {
  const char* name;
  LinformerPytorchOptions options = {};
  std::optional<LengthPolicy> length = {};
};

void PrintTo(const CaseOptions& one, std::ostream* out) { *out << one.name; }

class Parity : public testing::TestWithParam<CaseOptions> {};

/// Holds an engine's rows against those of the original.
void expect_parity(const CaseOptions& one, Device device) {
  const ParityCase parity(one.name, one.options);
  EncoderOptions options;
  options.device = device;
  options.length = one.length;
  Encoder encoder(parity.model, options);
  EXPECT_LE(relative_l2(parity.encode(encoder), parity.numbers("output")),
            encoder.is_double() ? kTolerance : kFloatTolerance)
      << encoder.engine();
}

TEST_P(Parity, EnginesAgreeWithLinformerPytorch) {
  for (const Device device : {Device::reference, Device::cpu}) expect_parity(GetParam(), device);
}

TEST_P(Parity, CudaAgreesWithLinformerPytorch) {
  PCL_ATTENTION_NEEDS_CUDA();
  expect_parity(GetParam(), Device::cuda);
}

/// Returns linformer-pytorch's defaults with changes.
LinformerPytorchOptions changed(const std::function<void(LinformerPytorchOptions&)>& change) {
  LinformerPytorchOptions options;
  change(options);
  return options;
}

LinformerPytorchOptions full_with(CausalMask causal, MaskedPoints masked) {
  return changed([&](auto& o) { o.full_attention = true, o.causal = causal, o.masked_points = masked; });
}

const auto kFull = changed([](auto& o) { o.full_attention = true; });
const auto kCausal = changed([](auto& o) { o.causal = CausalMask::legacy; });
const auto kDecoder = changed([](auto& o) { o.decoder = true; });
const auto kConvolution = changed([](auto& o) { o.method = Projection::convolution; });
const auto kNoParams = changed([](auto& o) { o.method = Projection::fixed; });

TEST_P(Parity, SavedAndLoadedGivesTheSameBits) {
  const ParityCase parity(GetParam().name, GetParam().options);
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  save_model(*parity.model, path);
  const ModelPtr loaded = load_model(path);
  EXPECT_EQ(loaded->hash(), parity.model->hash());
  EncoderOptions options;
  options.device = Device::reference;
  options.length = GetParam().length;
  Encoder before(parity.model, options), after(loaded, options);
  EXPECT_TRUE(same_bits(parity.encode(after), parity.encode(before)));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Parity,
    testing::Values(
        CaseOptions{"layerwise"}, CaseOptions{"none"}, CaseOptions{"headwise"}, CaseOptions{"kv_reduce"},
        CaseOptions{"wo_intermediate"}, CaseOptions{"ff_intermediate"}, CaseOptions{"full", kFull},
        CaseOptions{"no_ff_relu", changed([](auto& o) { o.activation = Activation::relu; })},
        CaseOptions{"no_params", kNoParams}, CaseOptions{"convolution", kConvolution},
        CaseOptions{"padder", {}, LengthPolicy::pad}, CaseOptions{"mask"}, CaseOptions{"issue_five_points"},
        CaseOptions{"issue_five_points_full", kFull}, CaseOptions{"causal_legacy", kCausal},
        CaseOptions{"causal_full", full_with(CausalMask::legacy, MaskedPoints::left_out)},
        CaseOptions{"mask_full", full_with(CausalMask::none, MaskedPoints::zeroed)},
        CaseOptions{"mask_causal_full", full_with(CausalMask::legacy, MaskedPoints::zeroed)},
        CaseOptions{"decoder", kDecoder}, CaseOptions{"decoder_causal", changed([](auto& o) {
                                                        o.decoder = true, o.causal = CausalMask::legacy,
                                                        o.masked_points = MaskedPoints::zeroed;
                                                      })},
        CaseOptions{"decoder_full", changed([](auto& o) {
                      o.decoder = o.full_attention = true, o.masked_points = MaskedPoints::zeroed;
                    })},
        CaseOptions{"convolution_none", kConvolution}, CaseOptions{"no_params_none", kNoParams},
        CaseOptions{"ff_intermediate_one"}, CaseOptions{"ff_intermediate_full", changed([](auto& o) {
                                                          o.full_attention = true;
                                                          o.activation = Activation::relu;
                                                        })},
        CaseOptions{"mha_alone"},
        CaseOptions{"head_alone", changed([](auto& o) { o.causal = CausalMask::legacy, o.head_width = 5; })},
        CaseOptions{"padder_net"}, CaseOptions{"lm_projected"}, CaseOptions{"visualized"}),
    [](const auto& one) { return one.param.name; });

TEST(LucidrainsParity, ReferenceAgrees) {
  LucidrainsLinformerOptions three_heads;
  three_heads.heads = 3;
  for (const ParityCase& parity : {ParityCase("lucidrains", three_heads),
                                   ParityCase("lucidrains_one_kv_head", LucidrainsLinformerOptions())}) {
    EncoderOptions options;
    options.device = Device::reference;
    Encoder encoder(parity.model, options);
    EXPECT_LE(relative_l2(parity.encode(encoder), parity.numbers("output")), kTolerance) << parity.path;
  }
}

// What a case is about changes its numbers.
TEST(ParityTraps, SwitchesMatter) {
  const auto error = [](const char* name, const LinformerPytorchOptions& options) {
    const ParityCase parity(name, options);
    EncoderOptions reference;
    reference.device = Device::reference;
    Encoder encoder(parity.model, reference);
    return relative_l2(parity.encode(encoder), parity.numbers("output"));
  };
  EXPECT_GT(error("mask_full", kFull), 1e-4);
  EXPECT_GT(error("causal_legacy", {}), 1e-4);
  EXPECT_GT(error("causal_full", kFull), 1e-4);
  EXPECT_GT(error("no_ff_relu", kFull), 1e-4);
  EXPECT_GT(error("layerwise", changed([](auto& o) { o.activation = Activation::relu; })), 1e-5);
}

// The public question: five points, first and last exchanged.
class FivePoints : public testing::Test {
 protected:
  static constexpr std::size_t kWidth = 3;

  static LinformerPytorchOptions xyz(bool full) {
    LinformerPytorchOptions options;
    options.full_attention = full;
    options.fields = {"x", "y", "z"};
    return options;
  }

  static Encoder encoder(const ParityCase& parity, Curve order) {
    EncoderOptions options;
    options.device = Device::reference;
    options.order = order;
    return Encoder(parity.model, options);
  }

  /// Largest change of the three untouched points.
  static double untouched_change(const std::vector<double>& before, const std::vector<double>& after) {
    double largest = 0.0;
    for (std::size_t i = kWidth; i < 4 * kWidth; ++i)
      largest = std::max(largest, std::abs(before[i] - after[i]));
    return largest;
  }
};

TEST_F(FivePoints, LearnedProjectionChangesUntouchedPoints) {
  const ParityCase parity("issue_five_points", xyz(false));
  Encoder as_given = encoder(parity, Curve::none);
  const auto before = parity.encode(as_given), after = parity.encode(as_given, "input_swapped");
  EXPECT_LE(relative_l2(after, parity.numbers("output_swapped")), kTolerance);
  EXPECT_GT(untouched_change(before, after), 1e-3);
}

TEST_F(FivePoints, MortonOrderLeavesUntouchedPointsBitwise) {
  const ParityCase parity("issue_five_points", xyz(false));
  Encoder ordered = encoder(parity, Curve::morton);
  const auto before = parity.encode(ordered), after = parity.encode(ordered, "input_swapped");
  EXPECT_EQ(untouched_change(before, after), 0.0);
  for (std::size_t c = 0; c < kWidth; ++c) {
    EXPECT_EQ(before[c], after[4 * kWidth + c]);
    EXPECT_EQ(before[4 * kWidth + c], after[c]);
  }
}

TEST_F(FivePoints, FullAttentionLeavesUntouchedPoints) {
  const ParityCase parity("issue_five_points_full", xyz(true));
  Encoder as_given = encoder(parity, Curve::none);
  const auto before = parity.encode(as_given), after = parity.encode(as_given, "input_swapped");
  EXPECT_LE(untouched_change(before, after), kTolerance);
}

}  // namespace
}  // namespace pcl_attention::test
