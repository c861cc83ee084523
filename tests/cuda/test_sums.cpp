// SPDX-License-Identifier: BSD-3-Clause
// Sums over points by projections that go by rank, and what becomes of them.
#include <cmath>
#include <utility>

#include "cuda/sums.h"
#include "exec/parallel.h"

namespace pcl_attention::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Returns row `rank` of E [length × slots] as `learned` has it with the policy resample.
double resampled(const Numbers& e, std::size_t length, std::size_t slots, std::size_t n, std::size_t rank,
                 std::size_t slot) {
  const double ratio = static_cast<double>(length) / static_cast<double>(n),
               last = static_cast<double>(length - 1);
  const double at = std::clamp((static_cast<double>(rank) + 0.5) * ratio - 0.5, 0.0, last);
  const auto low = static_cast<std::size_t>(at), high = std::min(low + 1, length - 1);
  const double part = at - static_cast<double>(low);
  return ratio * ((1 - part) * number(e[low * slots + slot]) + part * number(e[high * slots + slot]));
}

void expect_stored(std::size_t n, bool masked, std::size_t length, bool resample) {
  const std::size_t slots = 67, batches = 2;
  const TestSurface surface(n, resample ? 0 : 3, masked);
  TestSums sums(surface, slots, 5, batches);
  const Numbers maps[] = {random_numbers(length * slots, 1), random_numbers(length * slots, 2)};
  const float* const pointers[] = {maps[0].data(), maps[1].data()};
  gpu::sum_stored(sums.args, {pointers, length, resample}, nullptr);
  const std::size_t ranks = surface.view.num_ranks();
  const auto entry = [&](std::size_t b, std::size_t i, std::size_t j) {
    if (resample) return resampled(maps[b], length, slots, ranks, surface.rank(i), j);
    return number(maps[b][surface.rank(i) * slots + j]);
  };
  EXPECT_LE(relative_l2(sums.merged(), sums.expected(entry)), kTolerance) << n << " of " << length;
}

TEST(SumStored, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t n : kSurfaceSizes) expect_stored(n, n % 2 == 1, n + 3, false);
  });
}

TEST(SumStored, ResamplesToAnyNumber) {
  on_every_schedule([] {
    for (const std::size_t n : {1U, 33U, 257U})
      for (const std::size_t length : {1U, 2U, 32U, 33U, 500U}) expect_stored(n, n == 33, length, true);
  });
}

TEST(SumStored, ResamplingToItsOwnNumberChangesNoBit) {
  const TestSurface surface(300, 0, false);
  TestSums plain(surface, 9, 4, 1), resampled(surface, 9, 4, 1);
  const Numbers map = random_numbers(300 * 9, 1);
  const float* const pointers[] = {map.data()};
  gpu::sum_stored(plain.args, {pointers, 300, false}, nullptr);
  gpu::sum_stored(resampled.args, {pointers, 300, true}, nullptr);
  EXPECT_TRUE(same_bits(plain.merged(), resampled.merged()));
}

TEST(SumSegments, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t n : kSurfaceSizes)
      for (const std::size_t slots : {1U, 70U}) {
        const TestSurface surface(n, 0, n % 2 == 1);
        TestSums sums(surface, slots, 64, 1);
        gpu::sum_segments(sums.args, nullptr);
        const std::size_t ranks = surface.view.num_ranks(), used = std::min(slots, ranks);
        const auto entry = [&](std::size_t, std::size_t i, std::size_t j) {
          return ((surface.rank(i) + 1) * used - 1) / ranks == j ? 1.0 : 0.0;
        };
        EXPECT_LE(relative_l2(sums.merged(), sums.expected(entry)), kTolerance) << n << ' ' << slots;
      }
  });
}

TEST(SumCosines, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t n : kSurfaceSizes) {
      const TestSurface surface(n, 0, n % 2 == 1);
      TestSums sums(surface, 33, 3, 1);
      gpu::sum_cosines(sums.args, nullptr);
      const double ranks = static_cast<double>(surface.view.num_ranks());
      const auto entry = [&](std::size_t, std::size_t i, std::size_t m) {
        return std::cos(kPi * static_cast<double>(m) * (static_cast<double>(surface.rank(i)) + 0.5) / ranks);
      };
      EXPECT_LE(relative_l2(sums.merged(), sums.expected(entry)), kTolerance) << n;
    }
  });
}

TEST(MergeChunks, IsTheTreeOfTheCpuEngine) {
  on_every_schedule([] {
    for (std::size_t chunks = 0; chunks <= gpu::kMostChunks; chunks += chunks < 9 ? 1 : 13) {
      std::mt19937_64 generator(chunks);
      std::vector<double> partial(chunks * 3), sums(3, std::nan(""));
      for (double& x : partial)
        x = std::ldexp(static_cast<double>(generator() >> 11), static_cast<int>(generator() % 40));
      gpu::merge_chunks(partial.data(), chunks, 3, sums.data(), nullptr);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto leaf = [&](std::size_t chunk) { return partial[chunk * 3 + i]; };
        const auto merge = [](double& left, double right) { left += right; };
        EXPECT_EQ(sums[i], chunks == 0 ? 0.0 : tree_reduce(0, chunks, leaf, merge)) << chunks;
      }
    }
  });
}

TEST(Chunks, DependOnTheNumberOfRowsAlone) {
  for (const std::size_t rows : {1UL, 256UL, 257UL, 65536UL, 65537UL, 1000000UL, 3000000000UL}) {
    EXPECT_LE(gpu::num_chunks(rows), gpu::kMostChunks);
    EXPECT_GE(gpu::num_chunks(rows) * gpu::chunk_rows(rows), rows);
    EXPECT_EQ(gpu::chunk_rows(rows) & (gpu::chunk_rows(rows) - 1), 0U);
  }
  EXPECT_EQ(gpu::num_chunks(0), 0U);
}

TEST(FinishSums, ScalesAndAddsABiasPerSlot) {
  const std::size_t batches = 2, slots = 35, channels = 3, columns = 4;
  std::vector<double> sums(batches * slots * columns);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = std::sin(static_cast<double>(i));
  const Numbers bias = random_numbers(slots, 1);
  const float* const biases[] = {nullptr, bias.data()};
  on_every_schedule([&] {
    Numbers rows(slots * batches * channels, kUnset);
    gpu::FinishSums finish;
    finish.sums = sums.data();
    finish.batches = batches;
    finish.slots = slots;
    finish.channels = channels;
    finish.scale = 0.5;
    finish.bias = biases;
    finish.rows = rows.data();
    finish.row_stride = batches * channels;
    finish.batch_step = channels;
    gpu::finish_sums(finish, nullptr);
    for (std::size_t b = 0; b < batches; ++b)
      for (std::size_t j = 0; j < slots; ++j)
        for (std::size_t c = 0; c < channels; ++c)
          EXPECT_FLOAT_EQ(
              rows[(j * batches + b) * channels + c],
              static_cast<float>(0.5 * sums[(b * slots + j) * columns + c]) + (b == 1 ? bias[j] : 0.0F));
  });
}

TEST(FinishSums, MasksSlotsThatNothingReaches) {
  const std::vector<double> sums{2.0, 4.0, 3.0, 0.5e-6, 1.0, 0.0, 8.0, 2e-6};  // of four slots: x, Σ e
  const Numbers largest{1.0F, 2.0F, 3.0F, 4.0F};
  on_every_schedule([&] {
    Numbers rows(4, kUnset), bias(4, kUnset);
    unsigned long long masked = 10;
    gpu::FinishSums finish;
    finish.sums = sums.data();
    finish.slots = 4;
    finish.channels = 1;
    finish.normalised = true;
    finish.least = 1e-6;
    finish.rows = rows.data();
    finish.row_stride = 1;
    finish.slot_bias = bias.data();
    finish.masked = &masked;
    gpu::finish_sums(finish, nullptr);
    const float lowest = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(rows, (Numbers{0.5F, 0.0F, 0.0F, 4e6F}));
    EXPECT_EQ(bias, (Numbers{0.0F, lowest, lowest, 0.0F}));
    EXPECT_EQ(masked, 12U);
    finish.largest = largest.data();
    gpu::finish_sums(finish, nullptr);
    EXPECT_EQ(bias[1], lowest);
    EXPECT_FLOAT_EQ(bias[0], std::log(4.0F) + 1.0F);
  });
}

}  // namespace
}  // namespace pcl_attention::test
