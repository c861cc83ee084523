// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "cuda/sums.h"

namespace pcl_attention::test {
namespace {

void expect_convolution(std::size_t n, std::size_t stride, std::size_t heads, std::size_t width) {
  const TestSurface surface(n, n / 5, n % 2 == 1);
  const std::size_t inner = heads * width, rows = surface.view.num_ranks() / stride;
  const Numbers x = random_numbers(surface.view.total() * inner, 1);
  std::vector<Numbers> maps, biases;
  std::vector<const float*> map_of, bias_of;
  for (std::uint32_t head = 0; head < heads; ++head) {
    maps.push_back(random_numbers(stride * width * width, 2 + head));
    biases.push_back(random_numbers(width, 90 + head));
  }
  for (std::size_t head = 0; head < heads; ++head) {
    map_of.push_back(maps[head].data());
    bias_of.push_back(biases[head].data());
  }
  std::vector<double> expected(rows * inner);
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = number(biases[i % inner / width][i % width]);
  for (std::size_t i = 0; i < surface.view.total(); ++i) {
    const std::size_t rank = surface.rank(i), row = rank / stride;
    for (std::size_t to = 0; surface.takes_part(i) && row < rows && to < inner; ++to)
      for (std::size_t c = 0; c < width; ++c)
        expected[row * inner + to] +=
            number(x[i * inner + to / width * width + c]) *
            number(maps[to / width][(rank % stride * width + c) * width + to % width]);
  }
  Numbers result(rows * inner, kUnset);
  gpu::Convolution convolution;
  convolution.surface = surface.view;
  convolution.x = x.data();
  convolution.heads = static_cast<std::uint32_t>(heads);
  convolution.width = static_cast<std::uint32_t>(width);
  convolution.stride = stride;
  convolution.maps = map_of.data();
  convolution.bias = bias_of.data();
  convolution.rows = result.data();
  gpu::convolve(convolution, nullptr);
  EXPECT_LE(relative_l2(result, expected), kTolerance) << n << ' ' << stride;
}

TEST(Convolve, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 300U})
      for (const std::size_t stride : {1U, 7U, 32U}) expect_convolution(n, stride, 3, 5);
    expect_convolution(150, 4, 2, 33);
  });
}

}  // namespace
}  // namespace pcl_attention::test
