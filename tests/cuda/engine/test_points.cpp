// SPDX-License-Identifier: BSD-3-Clause
// Clouds that lie on the device, against the same clouds in host memory: on a device, or emulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "attention/networks.h"
#include "cuda/engine/on_device.h"
#include "pcl_attention/error.h"
#include "support/compare.h"
#include "support/cuda.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

constexpr double kTolerance = 1e-6;  // of two ways to sum a centroid

/// Returns a cloud whose every 9th point is not finite.
FloatCloud holey_cloud(std::size_t n, std::uint32_t seed) {
  FloatCloud cloud = random_cloud(n, seed, small_fields());
  for (std::size_t i = 4; i < n; i += 9)
    cloud.row(i)[i % small_fields().size()] = std::numeric_limits<float>::quiet_NaN();
  return cloud;
}

std::vector<std::uint8_t> mask_of(std::size_t n) {
  std::vector<std::uint8_t> mask(n);
  for (std::size_t i = 0; i < n; ++i) mask[i] = i % 3 != 0;
  return mask;
}

/// NaN stands where it is expected, and nowhere else.
void expect_rows(std::vector<float> rows, std::vector<float> expected, double tolerance) {
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isnan(expected[i])) continue;
    EXPECT_TRUE(std::isnan(rows[i])) << i;
    rows[i] = expected[i] = 0.0F;
  }
  EXPECT_LE(relative_l2(rows, expected), tolerance);
}

void expect_same(const Encoded& device, const Encoded& host, double tolerance) {
  expect_rows(device.rows, host.rows, tolerance);
  EXPECT_EQ(device.result.num_rows, host.result.num_rows);
  EXPECT_EQ(device.result.width, host.result.width);
  EXPECT_EQ(device.result.num_valid, host.result.num_valid);
  EXPECT_EQ(device.result.num_nan_rows, host.result.num_nan_rows);
  EXPECT_EQ(device.result.masked_slots, host.result.masked_slots);
  EXPECT_EQ(device.result.guarded_rows, host.result.guarded_rows);
  EXPECT_EQ(device.result.order.ties, host.result.order.ties);
  EXPECT_EQ(device.result.order.longest_tie_run, host.result.order.longest_tie_run);
  EXPECT_EQ(device.result.order.bits_per_axis, host.result.order.bits_per_axis);
  EXPECT_EQ(device.result.order.cell, host.result.order.cell);
  EXPECT_EQ(device.result.coordinate_step, host.result.coordinate_step);
}

class CudaPoints : public testing::TestWithParam<NamedConfig> {
 protected:
  void SetUp() override { PCL_ATTENTION_NEEDS_CUDA(); }
  double tolerance() const { return std::max(kTolerance, GetParam().tolerance); }
};

TEST_P(CudaPoints, AreEncodedAsOnTheHost) {
  const ModelPtr model = make_random_model(GetParam().config, 3);
  const std::size_t n = is_emulated() ? 130 : 5001;
  const FloatCloud cloud = holey_cloud(n, 5);
  const std::vector<std::uint8_t> mask = mask_of(n);
  for (const Curve order : {Curve::none, Curve::hilbert}) {
    if (order == Curve::none && GetParam().needs_order()) continue;
    Encoder cuda = make_encoder(model, Device::cuda, order);
    for (const std::uint8_t* keep : {static_cast<const std::uint8_t*>(nullptr), mask.data()})
      expect_same(encode_on_device(cuda, cloud, keep), encode_on_host(cuda, cloud, keep), tolerance());
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, CudaPoints, testing::ValuesIn(all_mechanisms()),
                         [](const auto& one) { return one.param.name; });

class CudaPlaces : public testing::TestWithParam<Normalization> {
 protected:
  void SetUp() override { PCL_ATTENTION_NEEDS_CUDA(); }
};

TEST_P(CudaPlaces, OfEveryKindAndOnAFixedGrid) {
  ModelConfig config = small_config();
  config.input.normalization = GetParam();
  config.input.metres = 2.0;
  EncoderOptions options;
  options.device = Device::cuda;
  options.order = Curve::morton;
  for (const bool fixed : {false, true}) {
    if (fixed) options.grid = FixedGrid{{0.5, -1.0, 2.0}, 0.01};
    Encoder cuda(make_random_model(config, 3), options);
    const FloatCloud cloud = holey_cloud(150, 3);
    expect_same(encode_on_device(cuda, cloud, nullptr), encode_on_host(cuda, cloud, nullptr), kTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Normalizations, CudaPlaces,
                         testing::Values(Normalization::none, Normalization::centred,
                                         Normalization::unit_sphere, Normalization::metric));

class CudaPointsLaws : public testing::Test {
 protected:
  void SetUp() override { PCL_ATTENTION_NEEDS_CUDA(); }
  static ModelPtr model() { return make_random_model(small_config(), 3); }
};

TEST_F(CudaPointsLaws, SameBitsForEveryPermutationAndEachTime) {
  Encoder cuda = make_encoder(model(), Device::cuda, Curve::morton);
  const std::size_t n = is_emulated() ? 300 : 20000, width = model()->config().output_width();
  const FloatCloud cloud = random_cloud(n, 7, small_fields());
  const auto source = random_permutation(n, 3);
  const std::vector<float> rows = encode_on_device(cuda, cloud, nullptr).rows,
                           moved = encode_on_device(cuda, permuted(cloud, source), nullptr).rows;
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(std::memcmp(&moved[i * width], &rows[source[i] * width], width * sizeof(float)), 0) << i;
  EXPECT_TRUE(same_bits(encode_on_device(cuda, cloud, nullptr).rows, rows));
}

TEST_F(CudaPointsLaws, NoPointNoValidPointNothingKept) {
  Encoder cuda = make_encoder(model(), Device::cuda);
  EXPECT_TRUE(encode_on_device(cuda, FloatCloud{small_fields(), {}}, nullptr).rows.empty());
  FloatCloud cloud = random_cloud(40, 1, small_fields());
  const std::vector<std::uint8_t> mask(40, 0);
  expect_same(encode_on_device(cuda, cloud, mask.data()), encode_on_host(cuda, cloud, mask.data()), 1e-5);
  for (std::size_t i = 0; i < 40; ++i) cloud.row(i)[1] = std::numeric_limits<float>::infinity();
  const Encoded nothing = encode_on_device(cuda, cloud, nullptr);
  EXPECT_EQ(nothing.result.num_nan_rows, 40U);
  for (const float x : nothing.rows) EXPECT_TRUE(std::isnan(x));
}

TEST_F(CudaPointsLaws, CancelledAndTheNextIsRight) {
  Encoder cuda = make_encoder(model(), Device::cuda);
  const FloatCloud cloud = random_cloud(100, 4, small_fields());
  std::atomic<bool> cancel{true};
  EncodeControls controls;
  controls.cancel = &cancel;
  EXPECT_THROW(encode_on_device(cuda, cloud, nullptr, controls), Cancelled);
  expect_same(encode_on_device(cuda, cloud, nullptr), encode_on_host(cuda, cloud, nullptr), kTolerance);
}

TEST_F(CudaPointsLaws, WhatIsNotTakenIsAnErrorThatSaysWhy) {
  const FloatCloud cloud = random_cloud(30, 4, small_fields());
  DeviceInput input;
  input.surface = cloud.view();
  std::vector<float> rows(30 * model()->config().output_width());
  const auto message = [&](Encoder encoder) {
    try {
      encoder.encode_on_device(input, rows.data());
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_TRUE(contains(message(make_encoder(model(), Device::cpu)), "takes a cuda device"));
  EXPECT_TRUE(
      contains(message(make_encoder(model(), Device::cuda)), "the points do not lie in memory of device 0"));
  EXPECT_TRUE(contains(message(make_encoder(make_random_model(as_decoder(small_config()), 3), Device::cuda)),
                       "decoder"));
  const std::int32_t selected[] = {3, 4};
  input.surface.rows = selected;
  input.surface.num_rows = 2;
  EXPECT_TRUE(contains(message(make_encoder(model(), Device::cuda)), "selection"));
  input.surface.rows = nullptr;
  input.surface.big_endian = true;
  EXPECT_TRUE(contains(message(make_encoder(model(), Device::cuda)), "big-endian"));
  input.surface.big_endian = false;
  input.surface.fields.pop_back();
  EXPECT_TRUE(contains(message(make_encoder(model(), Device::cuda)), "field"));
}

}  // namespace
}  // namespace pcl_attention::test
