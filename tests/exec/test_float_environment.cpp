// SPDX-License-Identifier: BSD-3-Clause
// A host may flush denormals and round upward: results keep their bits, the host keeps its modes.
#include <gtest/gtest.h>

#include <cfenv>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "attention/networks.h"
#include "pcl_attention/error.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

/// Sets this thread's modes to what no result may depend on, while it lives.
class UnusualHost {
 public:
  UnusualHost() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#ifdef __SSE2__
    _mm_setcsr(_mm_getcsr() | kFlush);
#endif
  }
  ~UnusualHost() { std::fesetenv(&before_); }
  UnusualHost(const UnusualHost&) = delete;
  UnusualHost& operator=(const UnusualHost&) = delete;

  /// Returns true if the modes are still those that the constructor set.
  static bool is_in_force() {
#ifdef __SSE2__
    if ((_mm_getcsr() & kFlush) != kFlush) return false;
#endif
    return std::fegetround() == FE_UPWARD;
  }

 private:
  static constexpr unsigned kFlush = 0x8040;  ///< denormal results and operands count as zero
  std::fenv_t before_;
};

TEST(UnusualHost, ChangesWhatIsComputed) {
  volatile float tiny = 1e-40F, small = 1e-20F, one = 1.0F;
  const float half = tiny * 0.5F, sum = one + small;
  {
    const UnusualHost host;
    EXPECT_TRUE(UnusualHost::is_in_force());
    EXPECT_GT(one + small, sum);
#ifdef __SSE2__
    EXPECT_EQ(tiny * 0.5F, 0.0F);
#endif
  }
  EXPECT_FALSE(UnusualHost::is_in_force());
  EXPECT_EQ(tiny * 0.5F, half);
}

/// A cloud whose numbers are all denormal, or whose attribute alone is.
FloatCloud denormal_cloud(std::size_t n, float coordinates) {
  FloatCloud cloud = random_cloud(n, 3, small_fields());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 4; ++c) cloud.row(i)[c] *= c == 3 ? 1e-40F : coordinates;
  return cloud;
}

class FloatEnvironment : public testing::TestWithParam<NamedConfig> {};

TEST_P(FloatEnvironment, SameBitsInAnyHost) {
  const ModelPtr model = make_random_model(GetParam().config, 3);
  {
    const UnusualHost host;
    EXPECT_EQ(make_random_model(GetParam().config, 3)->hash(), model->hash());
  }
  for (const float coordinates : {1.0F, 1e-40F}) {
    const FloatCloud cloud = denormal_cloud(1500, coordinates);
    for (const Device device : {Device::cpu, Device::reference}) {
      for (const unsigned num_threads : {1U, 2U}) {
        Encoder encoder = make_encoder(model, device, {}, num_threads);
        const std::vector<double> expected = encode(encoder, cloud);
        const UnusualHost host;
        Encoder made_in_host = make_encoder(model, device, {}, num_threads);
        EXPECT_TRUE(same_bits(encode(encoder, cloud), expected));
        EXPECT_TRUE(same_bits(encode(made_in_host, cloud), expected));
        EXPECT_TRUE(UnusualHost::is_in_force());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, FloatEnvironment, testing::ValuesIn(all_mechanisms()),
                         [](const auto& one) { return one.param.name; });

TEST(FloatEnvironment, GatheringAndOrderingHaveTheSameBits) {
  InputSpec input = small_config().input;
  input.fields.back().scale = 0.1;
  for (const float coordinates : {1.0F, 1e-40F}) {
    const FloatCloud cloud = denormal_cloud(6000, coordinates);
    const auto tokens_of = [&] {
      GatherOptions options;
      options.positions = true;
      return gather(cloud.view(), input, options);
    };
    const auto order_of = [&](const Tokens& tokens) {
      OrderInput rows;
      rows.num_rows = tokens.size();
      rows.positions = tokens.positions.data();
      rows.values = tokens.values.data();
      rows.num_channels = tokens.num_channels;
      return canonical_order(rows, Curve::morton);
    };
    const Tokens expected = tokens_of();
    const Order order = order_of(expected);
    EXPECT_LT(order.diagnostics.ties, 6000U / 2);
    const UnusualHost host;
    const Tokens tokens = tokens_of();
    EXPECT_TRUE(same_bits(tokens.values, expected.values));
    EXPECT_TRUE(same_bits(tokens.positions, expected.positions));
    EXPECT_EQ(tokens.origin, expected.origin);
    EXPECT_EQ(tokens.coordinate_step, expected.coordinate_step);
    EXPECT_EQ(order_of(tokens).row_of_rank, order.row_of_rank);
    EXPECT_TRUE(UnusualHost::is_in_force());
  }
}

TEST(FloatEnvironment, IsRestoredAfterAnError) {
  Encoder encoder = make_encoder(make_random_model(small_config()), Device::cpu);
  const FloatCloud cloud = random_cloud(10, 1, {"x", "y"});
  const UnusualHost host;
  EXPECT_THROW(encode(encoder, cloud), CloudError);
  EXPECT_TRUE(UnusualHost::is_in_force());
}

}  // namespace
}  // namespace pcl_attention::test
