// SPDX-License-Identifier: BSD-3-Clause
// What the cpu engine asks of the heap: nothing after the first frame of a size, as much as estimated in it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "attention/networks.h"
#include "support/heap_use.h"

namespace pcl_attention::test {
namespace {

constexpr unsigned kThreads = 2;

TEST(HeapUse, SeesEveryWayToTheHeap) {
  const HeapUse before = heap_use();
  const auto number = std::make_unique<int>(1);
  void* volatile plain = std::malloc(100);
  void* volatile aligned = std::aligned_alloc(64, 4096);
  EXPECT_EQ(heap_use().calls, before.calls + 3);
  EXPECT_GE(heap_use().live, before.live + 4196 + sizeof(int));
  std::free(plain);
  std::free(aligned);
  EXPECT_LT(heap_use().live, before.live + 100);
  start_peak();
  void* volatile large = std::malloc(1 << 20);
  std::free(large);
  EXPECT_GE(heap_use().peak, heap_use().live + (1 << 20));
}

/// A cloud with what a frame has to deal with: invalid points, and more equal ones than a block of ties.
FloatCloud frame_cloud(std::size_t n) {
  FloatCloud cloud = random_cloud(n, 7, small_fields());
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 13 == 5) cloud.row(i)[1] = std::numeric_limits<float>::quiet_NaN();
    if (i % 20 != 0) std::copy_n(cloud.row(0), 3, cloud.row(i));
  }
  return cloud;
}

/// One way to call encode.
struct Call {
  Call(Encoder& the_encoder, const FloatCloud& cloud, std::size_t num_rows)
      : encoder(the_encoder), rows(num_rows * encoder.model().config().output_width()) {
    input.surface = cloud.view();
  }

  /// Returns how often the heap was asked in three calls.
  std::size_t allocations() {
    const std::size_t before = heap_use().calls;
    for (int i = 0; i < 3; ++i) encoder.encode(input, rows.data());
    return heap_use().calls - before;
  }

  Encoder& encoder;
  EncodeInput input;
  std::vector<float> rows;
};

class FrameMemory : public testing::TestWithParam<NamedConfig> {
 protected:
  Encoder encoder() const {
    return make_encoder(make_random_model(GetParam().config, 3), Device::cpu, {}, kThreads);
  }
};

TEST_P(FrameMemory, NoAllocationAfterTheFirstFrameOfASize) {
  const FloatCloud cloud = frame_cloud(5001), smaller = frame_cloud(2000);
  std::vector<std::uint8_t> mask(5001);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 7 != 0;
  Encoder used = encoder();
  Call all(used, cloud, 5001), fewer(used, smaller, 2000), masked(used, cloud, 5001);
  masked.input.key_mask = mask.data();
  EXPECT_GT(all.allocations(), 0U);
  EXPECT_EQ(all.allocations(), 0U);
  EXPECT_EQ(fewer.allocations(), 0U);
  masked.allocations();
  EXPECT_EQ(masked.allocations(), 0U);
}

TEST_P(FrameMemory, NoAllocationWithQueries) {
  const FloatCloud cloud = frame_cloud(3000), other = frame_cloud(700);
  const std::vector<std::int32_t> points{3, 2999, 5, 17, 3};
  const CloudView queries = other.view();
  Encoder used = encoder();
  Call chosen(used, cloud, points.size()), foreign(used, cloud, 700);
  chosen.input.query_points = points.data();
  chosen.input.num_query_points = points.size();
  foreign.input.queries = &queries;
  for (Call* call : {&chosen, &foreign}) {
    call->allocations();
    EXPECT_EQ(call->allocations(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, FrameMemory, testing::ValuesIn(all_mechanisms()),
                         [](const auto& one) { return one.param.name; });

/// Returns the bytes that the first frame of n points takes beside input and output.
double measured(Encoder& encoder, std::size_t n) {
  const FloatCloud cloud = random_cloud(n, 1, small_fields());
  Call call(encoder, cloud, n);
  start_peak();
  const std::size_t before = heap_use().live;
  encoder.encode(call.input, call.rows.data());
  return static_cast<double>(heap_use().peak - before);
}

TEST(FrameMemory, EstimateIsWithinAFifth) {
  for (const std::string name : {"linformer", "linformer-smooth", "linformer-segment", "position", "inducing",
                                 "anchored", "kernel-elu", "kernel-taylor", "kernel-favor", "full"}) {
    for (std::size_t n : {3000U, 20000U}) {
      if (name == "full" && n > 10000) continue;
      Encoder encoder = make_encoder(make_preset(name), Device::cpu, {}, kThreads);
      const double estimate = static_cast<double>(encoder.memory_estimate(n)), bytes = measured(encoder, n);
      EXPECT_LE(std::abs(estimate - bytes), 0.2 * bytes) << name << ' ' << n << ' ' << bytes;
    }
  }
}

TEST(FrameMemory, EstimateCountsTheNeighbourhood) {
  ModelConfig config = with_slots(Mechanism::anchored);
  config.input.fields.push_back({"neighbourhood.log_distance_1"});
  for (std::size_t n : {3000U, 20000U}) {
    Encoder encoder = make_encoder(make_random_model(config), Device::cpu, {}, kThreads);
    const double estimate = static_cast<double>(encoder.memory_estimate(n)), bytes = measured(encoder, n);
    EXPECT_LE(std::abs(estimate - bytes), 0.2 * bytes) << n << ' ' << bytes;
  }
}

TEST(FrameMemory, LinformerTakesAtMost300BytesPerPoint) {
  const std::size_t n = 131072;
  Encoder encoder = make_encoder(make_preset("linformer"), Device::cpu, {}, kThreads);
  EXPECT_LE(measured(encoder, n) / static_cast<double>(n), 300.0);
}

}  // namespace
}  // namespace pcl_attention::test
