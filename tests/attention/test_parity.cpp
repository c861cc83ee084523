// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "attention/parity_case.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

constexpr double kTolerance = 1e-12;

struct CaseOptions {
  const char* name;
  LinformerPytorchOptions options = {};
  std::optional<LengthPolicy> length = {};
};

void PrintTo(const CaseOptions& one, std::ostream* out) { *out << one.name; }

LinformerPytorchOptions with(Activation activation, Projection method = Projection::learned,
                             bool full = false) {
  LinformerPytorchOptions options;
  options.activation = activation;
  options.method = method;
  options.full_attention = full;
  return options;
}

class Parity : public testing::TestWithParam<CaseOptions> {};

TEST_P(Parity, ReferenceAgreesWithLinformerPytorch) {
  const ParityCase parity(GetParam().name, GetParam().options);
  EncoderOptions options;
  options.device = Device::reference;
  options.length = GetParam().length;
  Encoder encoder(parity.model, options);
  EXPECT_LE(relative_l2(parity.encode(encoder), parity.numbers("output")), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Parity,
    testing::Values(CaseOptions{"layerwise"}, CaseOptions{"none"}, CaseOptions{"headwise"},
                    CaseOptions{"kv_reduce"}, CaseOptions{"wo_intermediate"}, CaseOptions{"ff_intermediate"},
                    CaseOptions{"full", with(Activation::gelu, Projection::learned, true)},
                    CaseOptions{"no_ff_relu", with(Activation::relu)},
                    CaseOptions{"no_params", with(Activation::gelu, Projection::fixed)},
                    CaseOptions{"convolution", with(Activation::gelu, Projection::convolution)},
                    CaseOptions{"padder", {}, LengthPolicy::pad}, CaseOptions{"issue_five_points"},
                    CaseOptions{"issue_five_points_full", with(Activation::gelu, Projection::learned, true)}),
    [](const auto& one) { return one.param.name; });

// The public question: five points, first and last exchanged.
class FivePoints : public testing::Test {
 protected:
  static constexpr std::size_t kWidth = 3;

  static LinformerPytorchOptions xyz(bool full) {
    LinformerPytorchOptions options = with(Activation::gelu, Projection::learned, full);
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
