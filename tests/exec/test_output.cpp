// SPDX-License-Identifier: BSD-3-Clause
// What encode() writes to the caller's buffer, and what it leaves alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "attention/networks.h"
#include "pcl_attention/error.h"

namespace pcl_attention::test {
namespace {

constexpr std::size_t kPoints = 70;
constexpr float kMark = 12345.0F;

/// Returns true if a failing call leaves every number of the buffer.
template <class Error>
testing::AssertionResult leaves_output(const ModelConfig& config, Device device,
                                       const std::function<void(EncodeInput&)>& change,
                                       EncoderOptions options = {}) {
  options.device = device;
  Encoder encoder(make_random_model(config), options);
  const FloatCloud cloud = random_cloud(kPoints, 1, small_fields());
  EncodeInput input;
  input.surface = cloud.view();
  change(input);
  std::vector<float> rows(kPoints * config.output_width(), kMark);
  try {
    encoder.encode(input, rows.data());
  } catch (const Error&) {
    const bool untouched = std::all_of(rows.begin(), rows.end(), [](float x) { return x == kMark; });
    return untouched ? testing::AssertionSuccess() : testing::AssertionFailure() << "the output was changed";
  }
  return testing::AssertionFailure() << "no error";
}

class Output : public testing::TestWithParam<Device> {};

TEST_P(Output, IsUntouchedAfterAnError) {
  const auto nothing = [](EncodeInput&) {};
  ModelConfig config = small_config();
  EXPECT_TRUE(leaves_output<CloudError>(config, GetParam(),
                                        [](EncodeInput& input) { input.surface.fields.pop_back(); }));
  EXPECT_TRUE(
      leaves_output<CloudError>(config, GetParam(), [](EncodeInput& input) { input.surface.size -= 1; }));
  EncoderOptions too_fine;
  too_fine.grid = FixedGrid{{0, 0, 0}, 1e-9};
  EXPECT_TRUE(leaves_output<CloudError>(config, GetParam(), nothing, too_fine));
  const std::int32_t outside = kPoints;
  EXPECT_TRUE(leaves_output<std::invalid_argument>(config, GetParam(), [&](EncodeInput& input) {
    input.query_points = &outside;
    input.num_query_points = 1;
  }));
  config.projection.length_policy = LengthPolicy::strict;
  EXPECT_TRUE(leaves_output<ModelError>(config, GetParam(), nothing));
}

TEST_P(Output, IsUntouchedIfQueriesDoNotFit) {
  const FloatCloud queries = random_cloud(kPoints, 2, {"x", "y", "z"});
  const CloudView view = queries.view();
  const auto foreign = [&](EncodeInput& input) { input.queries = &view; };
  EXPECT_TRUE(leaves_output<CloudError>(small_config(), GetParam(), foreign));
  ModelConfig config = small_config();
  config.input.fields.pop_back();
  config.position_encoding = PositionEncoding::rank;
  EXPECT_TRUE(leaves_output<std::invalid_argument>(config, GetParam(), foreign));
}

TEST_P(Output, RowsBehindTheLastAreLeftAlone) {
  EncoderOptions options;
  options.device = GetParam();
  Encoder encoder(make_random_model(small_config()), options);
  FloatCloud cloud = random_cloud(kPoints, 1, small_fields());
  for (std::size_t i : {0U, 3U, 69U}) cloud.row(i)[2] = std::numeric_limits<float>::infinity();
  EncodeInput input;
  input.surface = cloud.view();
  const std::size_t used = kPoints * small_config().output_width();
  std::vector<float> rows(used + 100, kMark);
  EXPECT_EQ(encoder.encode(input, rows.data()).num_nan_rows, 3U);
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t row = i / small_config().output_width();
    EXPECT_EQ(std::isnan(rows[i]), row == 0 || row == 3 || row == 69) << row;
  }
  for (std::size_t i = used; i < rows.size(); ++i) EXPECT_EQ(rows[i], kMark);
}

INSTANTIATE_TEST_SUITE_P(Engines, Output, testing::Values(Device::cpu, Device::reference),
                         [](const auto& one) { return one.param == Device::cpu ? "cpu" : "reference"; });

}  // namespace
}  // namespace pcl_attention::test
