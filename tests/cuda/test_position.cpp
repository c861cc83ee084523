// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "cuda/sums.h"

namespace pcl_attention::test {
namespace {

/// Returns softmax_j(Σ_axis factor (p − a_j)² + W h + b) of one row.
std::vector<double> position_row(const gpu::PositionWeights& w, std::size_t row, std::size_t slots) {
  std::vector<double> e(slots);
  double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
  for (std::size_t j = 0; j < slots; ++j) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      e[j] += number(w.factor[axis]) *
              std::pow(number(w.places[3 * row + axis]) - number(w.anchors[3 * j + axis]), 2);
    for (std::size_t c = 0; w.mlp.weight != nullptr && c < w.mlp.in; ++c)
      e[j] += number(w.hidden[row * w.mlp.in + c]) * number(w.mlp.weight[c * slots + j]);
    if (w.mlp.bias != nullptr) e[j] += number(w.mlp.bias[j]);
    largest = std::max(largest, e[j]);
  }
  for (double& x : e) sum += x = std::exp(x - largest);
  for (double& x : e) x /= sum;
  return e;
}

void expect_positions(std::size_t n, std::size_t slots, std::size_t mlp) {
  const TestSurface surface(n, 0, n % 2 == 1);
  TestSums sums(surface, slots, 6, 1);
  const Numbers places = random_numbers(3 * n, 1), anchors = random_numbers(3 * slots, 2);
  const Numbers factor{-4.0F, -9.0F, 0.0F};
  const Numbers hidden = random_numbers(n * mlp, 3), map = random_numbers(mlp * slots, 4),
                bias = random_numbers(slots, 5);
  Numbers largest(n, kUnset), inverse_sum(n, kUnset);
  gpu::PositionWeights weights;
  weights.places = places.data();
  weights.anchors = anchors.data();
  weights.factor = factor.data();
  if (mlp != 0) {
    weights.hidden = hidden.data();
    weights.mlp = {map.data(), bias.data(), static_cast<std::uint32_t>(mlp), sums.args.slots};
  }
  weights.largest = largest.data();
  weights.inverse_sum = inverse_sum.data();
  gpu::sum_positions(sums.args, weights, nullptr);
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < n; ++i) rows.push_back(position_row(weights, i, slots));
  const auto entry = [&](std::size_t, std::size_t i, std::size_t j) { return rows[i][j]; };
  EXPECT_LE(relative_l2(sums.merged(), sums.expected(entry)), kTolerance) << n << ' ' << slots << ' ' << mlp;
}

TEST(SumPositions, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t n : kSurfaceSizes) expect_positions(n, 27, 0);
    for (const std::size_t slots : {1U, 31U, 33U, 125U}) expect_positions(70, slots, 9);
  });
}

TEST(PlaceAnchors, IsAGridOverTheBox) {
  const Numbers box{-1.0F, 2.0F, 5.0F, 3.0F, 2.0F, 6.0F};
  on_every_schedule([&] {
    gpu::GridAnchors grid;
    grid.box = box.data();
    grid.count[0] = 4;
    grid.count[1] = 2;
    grid.count[2] = 3;
    Numbers anchors(24 * 3, kUnset), factor(3, kUnset);
    grid.anchors = anchors.data();
    grid.factor = factor.data();
    gpu::place_anchors(grid, nullptr);
    for (std::size_t j = 0; j < 24; ++j) {
      EXPECT_FLOAT_EQ(anchors[3 * j], -0.5F + static_cast<float>(j / 6));
      EXPECT_FLOAT_EQ(anchors[3 * j + 1], 2.0F);
      EXPECT_FLOAT_EQ(anchors[3 * j + 2], 5.0F + (static_cast<float>(j % 3) + 0.5F) / 3.0F);
    }
    EXPECT_FLOAT_EQ(factor[0], -2.0F);  // edge 1, sigma 1/2
    EXPECT_EQ(factor[1], 0.0F);
    EXPECT_FLOAT_EQ(factor[2], -18.0F);
  });
}

}  // namespace
}  // namespace pcl_attention::test
