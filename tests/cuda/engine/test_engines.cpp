// SPDX-License-Identifier: BSD-3-Clause
// The cuda engine against the double reference, and its bit rules: on a device, or emulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "exec/all_networks.h"
#include "pcl_attention/error.h"
#include "support/compare.h"
#include "support/cuda.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

constexpr double kTolerance = 1e-5;

class CudaEngine : public testing::TestWithParam<NamedConfig> {
 protected:
  void SetUp() override { PCL_ATTENTION_NEEDS_CUDA(); }

  ModelPtr model() const { return make_random_model(GetParam().config, 3); }
  double tolerance() const { return std::max(kTolerance, GetParam().tolerance); }
  static std::vector<std::size_t> sizes() {
    const bool full = GetParam().config.mechanism == Mechanism::full;
    if (is_emulated()) return {1, 33, full ? 130U : 257U};
    return {1, 2, 31, 32, 33, 255, 256, 257, full ? 1500U : 2500U, full ? 9000U : 70001U};
  }
};

TEST_P(CudaEngine, AgreesWithTheReference) {
  Encoder cuda = make_encoder(model(), Device::cuda), reference = make_encoder(model(), Device::reference);
  EXPECT_EQ(cuda.engine().rfind("cuda:0 ", 0), 0U);
  EXPECT_FALSE(cuda.is_double());
  for (const std::size_t n : sizes()) {
    if (n < GetParam().least_points) continue;
    const FloatCloud cloud = random_cloud(n, static_cast<std::uint32_t>(n), small_fields());
    EXPECT_LE(relative_l2(encode(cuda, cloud), encode(reference, cloud)), tolerance()) << n;
  }
}

TEST_P(CudaEngine, AgreesWithTheReferenceUnderAMask) {
  const std::size_t n = is_emulated() ? 110 : 700;
  const FloatCloud cloud = random_cloud(n, 5, small_fields());
  std::vector<std::uint8_t> mask(n);
  for (std::size_t i = 0; i < n; ++i) mask[i] = i % 3 != 0;
  const auto masked = [&](EncodeInput& input) { input.key_mask = mask.data(); };
  for (const Curve order : {Curve::none, Curve::hilbert}) {
    if (order == Curve::none && GetParam().needs_order()) continue;
    Encoder cuda = make_encoder(model(), Device::cuda, order);
    Encoder reference = make_encoder(model(), Device::reference, order);
    EXPECT_LE(relative_l2(encode(cuda, cloud, masked), encode(reference, cloud, masked)), tolerance());
  }
}

TEST_P(CudaEngine, NothingTakesPart) {
  const FloatCloud cloud = random_cloud(80, 5, small_fields());
  const std::vector<std::uint8_t> mask(80, 0);
  const auto masked = [&](EncodeInput& input) { input.key_mask = mask.data(); };
  if (GetParam().least_points > 1) return;  // a convolution refuses
  Encoder cuda = make_encoder(model(), Device::cuda), reference = make_encoder(model(), Device::reference);
  EXPECT_LE(relative_l2(encode(cuda, cloud, masked), encode(reference, cloud, masked)), tolerance());
}

/// Returns some rows of all.
std::vector<double> rows_of(const std::vector<double>& all, std::size_t num_rows,
                            const std::vector<std::uint32_t>& chosen) {
  const std::size_t width = all.size() / num_rows;
  std::vector<double> rows;
  for (const std::uint32_t row : chosen)
    rows.insert(rows.end(), all.begin() + static_cast<std::ptrdiff_t>(row * width),
                all.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  return rows;
}

TEST_P(CudaEngine, QueriesGetTheirRowsBitForBit) {
  Encoder cuda = make_encoder(model(), Device::cuda);
  const FloatCloud cloud = random_cloud(107, 5, small_fields());
  const std::vector<double> expected = rows_of(encode(cuda, cloud), 107, {5, 100, 3, 100});
  FloatCloud queries{cloud.names, {}};
  const std::vector<std::int32_t> points{5, 100, 3, 100};
  for (const std::int32_t point : points) {
    const float* const row = cloud.row(static_cast<std::size_t>(point));
    queries.values.insert(queries.values.end(), row, row + cloud.names.size());
  }
  const auto chosen = [&](EncodeInput& input) {
    input.query_points = points.data();
    input.num_query_points = points.size();
  };
  EXPECT_TRUE(same_bits(encode(cuda, cloud, chosen), expected));
  const ModelConfig& config = GetParam().config;
  if (config.position_encoding == PositionEncoding::rank || config.causal != CausalMask::none) return;
  const CloudView view = queries.view();
  EXPECT_TRUE(same_bits(encode(cuda, cloud, [&](EncodeInput& input) { input.queries = &view; }), expected));
}

TEST_P(CudaEngine, SameBitsForEveryPermutationAndEachTime) {
  Encoder cuda = make_encoder(model(), Device::cuda, Curve::morton);
  const std::size_t n = is_emulated() ? 100 : 20000;
  const FloatCloud cloud = random_cloud(n, 7, small_fields());
  if (n > 10000 && GetParam().config.mechanism == Mechanism::full) return;
  const auto rows = encode(cuda, cloud);
  const auto source = random_permutation(n, 3);
  EXPECT_TRUE(same_bits(encode(cuda, permuted(cloud, source)), rows_of(rows, n, source)));
}

TEST_P(CudaEngine, PermutationsAreRoundingWithoutAnOrder) {
  if (!GetParam().ignores_order) return;
  Encoder cuda = make_encoder(model(), Device::cuda, Curve::none);
  const FloatCloud cloud = random_cloud(150, 7, small_fields());
  const auto source = random_permutation(150, 3);
  EXPECT_LE(relative_l2(encode(cuda, permuted(cloud, source)), rows_of(encode(cuda, cloud), 150, source)),
            1e-6);
}

TEST_P(CudaEngine, MaskedPointsNeverContribute) {
  if (GetParam().config.masked_points == MaskedPoints::zeroed) return;  // they do
  Encoder cuda = make_encoder(model(), Device::cuda, Curve::morton);
  FloatCloud cloud = random_cloud(120, 6, small_fields());
  std::vector<std::uint8_t> mask(120, 0);
  std::fill_n(mask.begin(), 90, std::uint8_t{1});
  const auto masked = encode(cuda, cloud, [&](EncodeInput& input) { input.key_mask = mask.data(); });
  cloud.values.resize(90 * cloud.names.size());
  const auto alone = encode(cuda, cloud);
  EXPECT_TRUE(same_bits({masked.begin(), masked.begin() + static_cast<std::ptrdiff_t>(alone.size())}, alone));
}

TEST_P(CudaEngine, CountsAreThoseOfTheReference) {
  FloatCloud cloud = random_cloud(100, 8, small_fields());
  for (std::size_t i = 0; i < 100; ++i) cloud.row(i)[0] = i < 50 ? 0.0F : 1.0F;  // corners without points
  EncodeInput input;
  input.surface = cloud.view();
  EncodeResult results[2];
  for (const Device device : {Device::cuda, Device::reference}) {
    Encoder encoder = make_encoder(model(), device);
    std::vector<float> rows(100 * encoder.model().config().output_width());
    results[device == Device::cuda ? 0 : 1] = encoder.encode(input, rows.data());
  }
  EXPECT_EQ(results[0].masked_slots, results[1].masked_slots);
  EXPECT_EQ(results[0].guarded_rows, results[1].guarded_rows);
  EXPECT_EQ(results[0].order.ties, results[1].order.ties);
  EXPECT_EQ(results[0].order.longest_tie_run, results[1].order.longest_tie_run);
}

INSTANTIATE_TEST_SUITE_P(Networks, CudaEngine, testing::ValuesIn(all_networks()),
                         [](const auto& one) { return one.param.name; });

class CudaDecoder : public CudaEngine {};

TEST_P(CudaDecoder, AgreesWithTheReference) {
  const ModelPtr decoder = make_random_model(as_decoder(GetParam().config), 3);
  const FloatCloud cloud = random_cloud(150, 5, small_fields()),
                   queries = random_cloud(110, 6, small_fields());
  const CloudView view = queries.view();
  std::vector<std::uint8_t> mask(150, 1), query_mask(110, 1);
  for (std::size_t i = 0; i < 110; i += 3) mask[i] = query_mask[i] = 0;
  const auto decode = [&](EncodeInput& input) {
    input.queries = &view;
    input.key_mask = mask.data();
    input.query_mask = query_mask.data();
  };
  Encoder cuda = make_encoder(decoder, Device::cuda), reference = make_encoder(decoder, Device::reference);
  EXPECT_LE(relative_l2(encode(cuda, cloud, decode), encode(reference, cloud, decode)), tolerance());
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, CudaDecoder, testing::ValuesIn(all_mechanisms()),
                         [](const auto& one) { return one.param.name; });

TEST(CudaOrder, IsThatOfTheCpu) {
  PCL_ATTENTION_NEEDS_CUDA();
  const std::size_t n = is_emulated() ? 600 : 200000;
  for (const Curve curve : {Curve::morton, Curve::hilbert}) {
    FloatCloud cloud = random_cloud(n, 4, small_fields());
    for (std::size_t i = 0; i < n / 3; ++i)
      std::copy_n(cloud.row(i + n / 2), i % 4 + 1, cloud.row(i));  // ties
    for (std::size_t i = 0; i < n; i += 50) std::copy_n(cloud.row(0), 3, cloud.row(i));
    ModelConfig config = small_config();
    config.position_encoding = PositionEncoding::rank;  // rows tell their rank
    config.input.fields = {{"intensity"}, {"x"}, {"y"}, {"z"}};
    const ModelPtr model = make_random_model(config, 2);
    EncodeInput input;
    input.surface = cloud.view();
    std::vector<std::uint8_t> mask(n, 1);
    for (std::size_t i = 0; i < n; i += 7) mask[i] = 0;
    for (const std::uint8_t* keep : std::vector<const std::uint8_t*>{nullptr, mask.data()}) {
      input.key_mask = keep;
      Encoder cuda = make_encoder(model, Device::cuda, curve), cpu = make_encoder(model, Device::cpu, curve);
      std::vector<double> rows[2] = {std::vector<double>(n * 12), std::vector<double>(n * 12)};
      const EncodeResult one = cuda.encode(input, rows[0].data()), other = cpu.encode(input, rows[1].data());
      EXPECT_LE(relative_l2(rows[0], rows[1]), kTolerance);
      EXPECT_EQ(one.order.ties, other.order.ties);
      EXPECT_EQ(one.order.longest_tie_run, other.order.longest_tie_run);
    }
  }
}

TEST(CudaEncoder, CancelledAndWatched) {
  PCL_ATTENTION_NEEDS_CUDA();
  Encoder cuda = make_encoder(make_random_model(small_config(), 2), Device::cuda);
  const FloatCloud cloud = random_cloud(100, 4, small_fields());
  const auto expected = encode(cuda, cloud);
  std::atomic<bool> cancel{false};
  std::vector<double> seen, rows(expected.size());
  EncodeControls controls;
  controls.cancel = &cancel;
  controls.progress = [&](double done) {
    seen.push_back(done);
    cancel = done > 0.4;
  };
  EncodeInput input;
  input.surface = cloud.view();
  EXPECT_THROW(cuda.encode(input, rows.data(), controls), Cancelled);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  cancel = false;
  controls.progress = [&](double done) { seen.push_back(done); };
  cuda.encode(input, rows.data(), controls);
  EXPECT_EQ(seen.back(), 1.0);
  EXPECT_TRUE(same_bits(rows, expected));
}

TEST(CudaEncoder, ModelsTooWideAreRefusedAndAutoTakesTheCpu) {
  PCL_ATTENTION_NEEDS_CUDA();
  ModelConfig config = small_config();
  config.feed_forward = 20000;
  const ModelPtr model = make_random_model(config, 2);
  EXPECT_TRUE(contains(message_of<ModelError>([&] { make_encoder(model, Device::cuda); }), "layer 0"));
  EXPECT_EQ(make_encoder(model, Device::automatic).engine().rfind("cpu", 0), 0U);
  EXPECT_EQ(make_encoder(make_random_model(small_config(), 2), Device::automatic).engine().rfind("cuda", 0),
            0U);
}

TEST(CudaEncoder, NoPointsAndNoSuchDevice) {
  PCL_ATTENTION_NEEDS_CUDA();
  const ModelPtr model = make_random_model(small_config(), 2);
  Encoder cuda = make_encoder(model, Device::cuda);
  EXPECT_TRUE(encode(cuda, FloatCloud{small_fields(), {}}).empty());
  const FloatCloud queries = random_cloud(20, 1, small_fields());
  const CloudView view = queries.view();
  Encoder reference = make_encoder(model, Device::reference);
  const auto ask = [&](EncodeInput& input) { input.queries = &view; };
  const FloatCloud none{small_fields(), {}};
  EXPECT_LE(relative_l2(encode(cuda, none, ask), encode(reference, none, ask)), kTolerance);
  EncoderOptions options;
  options.device = Device::cuda;
  options.device_index = 999;
  EXPECT_THROW(Encoder(model, options), DeviceError);
}

}  // namespace
}  // namespace pcl_attention::test
