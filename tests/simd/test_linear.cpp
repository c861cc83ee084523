// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "simd/targets.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using simd::kTilePoints;

double finished(double value, simd::Finish finish, double other) {
  switch (finish) {
    case simd::Finish::none:
      return value;
    case simd::Finish::add:
      return value + other;
    case simd::Finish::gelu:
      return value / 2 * (1 + std::erf(value / std::sqrt(2.0)));
    case simd::Finish::relu:
      return value > 0 ? value : 0;
  }
  return 0;
}

void expect_linear(std::size_t rows, std::size_t columns, simd::Finish finish) {
  RandomTile weight(rows * columns / kTilePoints + 1, 1), bias(rows / kTilePoints + 1, 2);
  const RandomTile x(columns, 3), other(rows, 4);
  Buffer<float> packed, y;
  packed.reserve(simd::packed_size(rows, columns));
  y.reserve(rows * kTilePoints);
  simd::pack_matrix(weight.data(), rows, columns, columns, 1, 0.5F, packed.data());
  simd::linear({packed.data(), bias.data(), rows, columns}, x.data(), finish, other.data(), y.data());
  std::vector<double> expected;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t p = 0; p < kTilePoints; ++p) {
      double sum = static_cast<double>(bias.data()[r]);
      for (std::size_t c = 0; c < columns; ++c)
        sum += 0.5 * static_cast<double>(weight.data()[r * columns + c]) * x.at(c, p);
      expected.push_back(finished(sum, finish, other.at(r, p)));
    }
  EXPECT_LE(relative_l2(y.data(), expected.data(), expected.size()), 1e-6) << rows << " x " << columns;
}

TEST(Linear, AgreesWithLoopsInDouble) {
  on_every_target([] {
    for (std::size_t rows : {1U, 3U, 4U, 5U, 7U, 8U, 9U, 17U, 64U})
      for (std::size_t columns : {1U, 3U, 16U, 65U})
        for (simd::Finish finish :
             {simd::Finish::none, simd::Finish::add, simd::Finish::gelu, simd::Finish::relu})
          expect_linear(rows, columns, finish);
  });
}

TEST(Linear, PacksByStrides) {
  // The transposed of a 2 x 3 matrix.
  const float a[] = {1, 2, 3, 4, 5, 6};
  const float bias[] = {0, 0, 0};
  RandomTile x(2, 1);
  Buffer<float> packed, y;
  packed.reserve(simd::packed_size(3, 2));
  simd::pack_matrix(a, 3, 2, 1, 3, 1.0F, packed.data());
  simd::linear({packed.data(), bias, 3, 2}, x.data(), simd::Finish::none, nullptr,
               y.reserve(3 * kTilePoints));
  for (std::size_t p = 0; p < kTilePoints; ++p)
    EXPECT_NEAR(static_cast<double>(y.data()[2 * kTilePoints + p]), 3 * x.at(0, p) + 6 * x.at(1, p), 1e-5);
}

TEST(LayerNorm, AgreesWithLoopsInDouble) {
  on_every_target([] {
    for (std::size_t channels : {1U, 3U, 4U, 6U, 64U, 65U}) {
      RandomTile x(channels, 5, 100.0F), weight(1, 6), bias(1, 7);
      std::vector<double> expected(channels * kTilePoints);
      for (std::size_t p = 0; p < kTilePoints; ++p) {
        double mean = 0, variance = 0;
        const double count = static_cast<double>(channels);
        for (std::size_t c = 0; c < channels; ++c) mean += x.at(c, p) / count;
        for (std::size_t c = 0; c < channels; ++c) variance += std::pow(x.at(c, p) - mean, 2) / count;
        for (std::size_t c = 0; c < channels; ++c)
          expected[c * kTilePoints + p] =
              (x.at(c, p) - mean) / std::sqrt(variance + 1e-5) * weight.at(0, c) + bias.at(0, c);
      }
      simd::layer_norm(x.data(), channels, weight.data(), bias.data(), x.data());
      EXPECT_LE(relative_l2(x.data(), expected.data(), expected.size()), 1e-6) << channels;
    }
  });
}

}  // namespace
}  // namespace pcl_attention::test
