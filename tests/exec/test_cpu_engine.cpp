// SPDX-License-Identifier: BSD-3-Clause
// The cpu engine against the double reference, and its bit rules.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>

#include "exec/all_networks.h"
#include "hwy/targets.h"
#include "support/compare.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

class CpuEngine : public testing::TestWithParam<NamedConfig> {
 protected:
  ModelPtr model() const { return make_random_model(GetParam().config, 3); }
};

TEST_P(CpuEngine, AgreesWithTheReference) {
  Encoder cpu = make_encoder(model(), Device::cpu), reference = make_encoder(model(), Device::reference);
  for (std::size_t n : {1U, 2U, 15U, 16U, 17U, 191U, 192U, 193U, 769U, 2500U}) {
    if (n < GetParam().least_points) continue;
    const FloatCloud cloud = random_cloud(n, static_cast<std::uint32_t>(n), small_fields());
    EXPECT_LE(relative_l2(encode(cpu, cloud), encode(reference, cloud)), GetParam().tolerance) << n;
  }
}

TEST_P(CpuEngine, AgreesWithTheReferenceUnderAMask) {
  const std::size_t n = 700;
  const FloatCloud cloud = random_cloud(n, 5, small_fields());
  std::vector<std::uint8_t> mask(n);
  for (std::size_t i = 0; i < n; ++i) mask[i] = i % 3 != 0;
  const auto masked = [&](EncodeInput& input) { input.key_mask = mask.data(); };
  for (Curve order : {Curve::none, Curve::morton}) {
    if (order == Curve::none && GetParam().needs_order()) continue;
    Encoder cpu = make_encoder(model(), Device::cpu, order);
    Encoder reference = make_encoder(model(), Device::reference, order);
    EXPECT_LE(relative_l2(encode(cpu, cloud, masked), encode(reference, cloud, masked)),
              GetParam().tolerance);
  }
}

TEST_P(CpuEngine, QueriesGetTheirRowsBitForBit) {
  Encoder cpu = make_encoder(model(), Device::cpu);
  const FloatCloud cloud = random_cloud(1000, 5, small_fields());
  const std::vector<double> all = encode(cpu, cloud);
  const std::size_t width = all.size() / 1000;
  std::vector<double> expected;
  FloatCloud queries{cloud.names, {}};
  const std::vector<std::int32_t> points{5, 900, 3, 900};
  for (std::int32_t point : points) {
    const auto row = static_cast<std::size_t>(point);
    expected.insert(expected.end(), all.begin() + static_cast<std::ptrdiff_t>(row * width),
                    all.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
    queries.values.insert(queries.values.end(), cloud.row(row), cloud.row(row) + cloud.names.size());
  }
  EXPECT_TRUE(same_bits(encode(cpu, cloud,
                               [&](EncodeInput& input) {
                                 input.query_points = points.data();
                                 input.num_query_points = points.size();
                               }),
                        expected));
  const ModelConfig& config = GetParam().config;
  if (config.position_encoding == PositionEncoding::rank || config.causal != CausalMask::none) return;
  const CloudView view = queries.view();
  EXPECT_TRUE(same_bits(encode(cpu, cloud, [&](EncodeInput& input) { input.queries = &view; }), expected));
}

TEST_P(CpuEngine, SameBitsForOneTwoAndEightThreads) {
  const AllowThreads allowed(8);
  ASSERT_EQ(count_threads_that_take_part(8), 8U);
  const FloatCloud cloud = random_cloud(20000, 17, small_fields());
  const std::size_t n = GetParam().config.mechanism == Mechanism::full ? 3000 : 20000;
  const FloatCloud used{cloud.names,
                        {cloud.values.begin(), cloud.values.begin() + static_cast<std::ptrdiff_t>(4 * n)}};
  Encoder one = make_encoder(model(), Device::cpu, {}, 1);
  const auto expected = encode(one, used);
  for (unsigned num_threads : {2U, 8U}) {
    Encoder more = make_encoder(model(), Device::cpu, {}, num_threads);
    EXPECT_TRUE(same_bits(encode(more, used), expected)) << num_threads;
  }
}

TEST_P(CpuEngine, SameBitsOnEveryInstructionSetWithFusedMultiplyAdd) {
  const FloatCloud cloud = random_cloud(900, 17, small_fields());
  std::vector<std::vector<double>> rows;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    if (target > HWY_AVX2) continue;  // larger values are older instruction sets
    hwy::SetSupportedTargetsForTest(target);
    Encoder cpu = make_encoder(model(), Device::cpu);
    rows.push_back(encode(cpu, cloud));
    EXPECT_TRUE(same_bits(rows.back(), rows.front())) << cpu.engine();
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_P(CpuEngine, EveryInstructionSetAgreesWithTheReference) {
  const FloatCloud cloud = random_cloud(900, 17, small_fields());
  Encoder reference = make_encoder(model(), Device::reference);
  const auto expected = encode(reference, cloud);
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    Encoder cpu = make_encoder(model(), Device::cpu);
    EXPECT_LE(relative_l2(encode(cpu, cloud), expected), GetParam().tolerance) << cpu.engine();
  }
  hwy::SetSupportedTargetsForTest(0);
}

class CpuDecoder : public testing::TestWithParam<NamedConfig> {};

TEST_P(CpuDecoder, AgreesWithTheReference) {
  const ModelPtr model = make_random_model(as_decoder(GetParam().config), 3);
  const FloatCloud cloud = random_cloud(700, 5, small_fields()),
                   queries = random_cloud(300, 6, small_fields());
  const CloudView view = queries.view();
  std::vector<std::uint8_t> mask(700, 1), query_mask(300, 1);
  for (std::size_t i = 0; i < 300; i += 3) mask[2 * i] = query_mask[i] = 0;
  for (bool masked : {false, true}) {
    const auto decode = [&](EncodeInput& input) {
      input.queries = &view;
      input.key_mask = masked ? mask.data() : nullptr;
      input.query_mask = masked ? query_mask.data() : nullptr;
    };
    Encoder cpu = make_encoder(model, Device::cpu), reference = make_encoder(model, Device::reference);
    EXPECT_LE(relative_l2(encode(cpu, cloud, decode), encode(reference, cloud, decode)), GetParam().tolerance)
        << masked;
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, CpuDecoder, testing::ValuesIn(all_mechanisms()),
                         [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(Networks, CpuEngine, testing::ValuesIn(all_networks()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace pcl_attention::test
