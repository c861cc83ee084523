// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "cuda/sums.h"

namespace pcl_attention::test {
namespace {

struct SlotCase {
  std::size_t n = 100, slots = 9, width = 5, heads = 3;
  bool anchored = false, favor = false, masked = false;
  float size = 1.0F;  // of keys
};

double score(const gpu::SlotWeights& w, std::size_t head, std::size_t row, std::size_t slot,
             std::size_t slots) {
  double product = 0.0, square = 0.0, distance = 0.0;
  for (std::size_t c = 0; c < w.head_width; ++c) {
    const double key = number(w.keys[row * w.key_stride + head * w.head_width + c]);
    product += number(w.queries[((w.own_queries ? head * w.head_width : 0) + c) * slots + slot]) * key;
    square += key * key;
  }
  for (std::size_t axis = 0; w.anchors != nullptr && axis < 3; ++axis)
    distance += number(w.distance_factor[head]) *
                std::pow(number(w.places[3 * row + axis]) - number(w.anchors[3 * slot + axis]), 2);
  return number(w.score_scale) * product + number(w.square_scale) * square + distance;
}

void expect_slots(const SlotCase& c) {
  const TestSurface surface(c.n, 0, c.masked);
  TestSums sums(surface, c.slots, c.width + 2, c.heads);
  const std::size_t inner = c.heads * c.width;
  const Numbers keys = random_numbers(c.n * inner, 1, c.size),
                queries = random_numbers((c.favor ? c.width : inner) * c.slots, 2, 2.0F),
                places = random_numbers(3 * c.n, 3), anchors = random_numbers(3 * c.slots, 4),
                factor = random_numbers(c.heads, 5, 3.0F);
  Numbers largest(c.heads * c.slots, kUnset), chunk_largest(gpu::num_chunks(c.n) * largest.size(), kUnset);
  gpu::SlotWeights weights;
  weights.keys = keys.data();
  weights.key_stride = inner;
  weights.head_width = static_cast<std::uint32_t>(c.width);
  weights.queries = queries.data();
  weights.own_queries = !c.favor;
  weights.score_scale = 0.7F;
  if (c.favor) weights.square_scale = -0.3F;
  if (c.anchored) {
    weights.places = places.data();
    weights.anchors = anchors.data();
    weights.distance_factor = factor.data();
  }
  weights.largest = largest.data();
  weights.chunk_largest = chunk_largest.data();
  gpu::sum_slots(sums.args, weights, nullptr);

  std::vector<double> expected_largest(largest.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < c.n; ++i)
    for (std::size_t j = 0; surface.takes_part(i) && j < largest.size(); ++j)
      expected_largest[j] =
          std::max(expected_largest[j], score(weights, j / c.slots, i, j % c.slots, c.slots));
  const std::vector<double> sum = sums.merged();
  if (expected_largest[0] > -1e30)
    EXPECT_LE(relative_l2(largest, expected_largest), kTolerance);
  else
    EXPECT_EQ(largest[0], -std::numeric_limits<float>::infinity());
  const auto entry = [&](std::size_t h, std::size_t i, std::size_t j) {
    return std::exp(score(weights, h, i, j, c.slots) - expected_largest[h * c.slots + j]);
  };
  EXPECT_LE(relative_l2(sum, sums.expected(entry)), kTolerance * std::max(1.0, number(c.size)))
      << c.n << ' ' << c.slots;

  std::fill(sums.partial.begin(), sums.partial.end(), std::nan(""));
  gpu::sum_slots_again(sums.args, weights, nullptr);
  EXPECT_TRUE(same_bits(sums.merged(), sum));
}

TEST(SumSlots, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t n : kSurfaceSizes) {
      SlotCase c;
      c.n = n;
      c.masked = n % 2 == 1;
      c.anchored = n % 3 == 0;
      c.favor = n % 3 == 1;
      expect_slots(c);
    }
    for (const std::size_t slots : {1U, 63U, 64U, 65U}) {
      SlotCase c;
      c.slots = slots;
      c.width = 16;
      expect_slots(c);
    }
  });
}

TEST(SumSlots, LargeScoresDoNotOverflow) {
  SlotCase c;
  c.size = 200.0F;
  c.n = 700;
  expect_slots(c);
}

}  // namespace
}  // namespace pcl_attention::test
