// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/rows.h"

#include <cmath>

#include "cuda/kernel_test.h"
#include "cuda/sparse_numbers.h"

namespace pcl_attention::test {
namespace {

double finished(double x, gpu::Finish finish) {
  if (finish == gpu::Finish::gelu) return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  return finish == gpu::Finish::relu && x < 0 ? 0 : x;
}

void expect_product(std::size_t rows, std::size_t inner, std::size_t columns, gpu::Finish finish,
                    bool biases) {
  const std::size_t gap = biases ? 3 : 0;  // behind each row
  const Numbers a = random_numbers(rows * (inner + gap), 1), b = random_numbers(inner * (columns + gap), 2);
  const Numbers column_bias = random_numbers(columns, 3), row_bias = random_numbers(rows, 4);
  Numbers c(rows * (columns + gap), kUnset);
  gpu::MatrixProduct product;
  product.a = a.data();
  product.b = b.data();
  product.c = c.data();
  product.a_stride = inner + gap;
  product.b_stride = product.c_stride = columns + gap;
  product.rows = rows;
  product.inner = static_cast<std::uint32_t>(inner);
  product.columns = static_cast<std::uint32_t>(columns);
  product.finish = finish;
  if (biases) {
    product.column_bias = column_bias.data();
    product.row_bias = row_bias.data();
  }
  gpu::matrix_product(product, nullptr);
  Numbers result;
  std::vector<double> expected;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = biases ? number(column_bias[j]) + number(row_bias[i]) : 0.0;
      for (std::size_t k = 0; k < inner; ++k)
        sum += number(a[i * (inner + gap) + k]) * number(b[k * (columns + gap) + j]);
      expected.push_back(finished(sum, finish));
      result.push_back(c[i * (columns + gap) + j]);
    }
    for (std::size_t j = columns; j < columns + gap; ++j)
      EXPECT_TRUE(std::isnan(c[i * (columns + gap) + j])) << "written behind row " << i;
  }
  EXPECT_LE(relative_l2(result, expected), kTolerance) << rows << " x " << inner << " x " << columns;
}

TEST(MatrixProduct, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t rows : {0U, 1U, 31U, 32U, 33U, 65U})
      for (const std::size_t columns : {0U, 1U, 33U, 64U}) {
        expect_product(rows, 17, columns, gpu::Finish::none, true);
        expect_product(rows, 32, columns, gpu::Finish::gelu, false);
      }
    for (const std::size_t inner : {0U, 1U, 15U, 16U, 70U})
      expect_product(9, inner, 70, gpu::Finish::relu, true);
    expect_product(301, 130, 131, gpu::Finish::none, true);
  });
}

TEST(MatrixProduct, OffsetsHave64Bits) {
  const std::size_t stride = (std::size_t{1} << 32) + 7;  // in numbers
  SparseNumbers a(stride + 2), b(stride + 1), c(stride + 1);
  a[stride] = 3.0F;
  a[stride + 1] = 5.0F;
  b[0] = 2.0F;
  b[stride] = 7.0F;
  gpu::MatrixProduct product;
  product.a = a.data();
  product.b = b.data();
  product.c = c.data();
  product.a_stride = product.b_stride = product.c_stride = stride;
  product.rows = product.inner = 2;
  product.columns = 1;
  gpu::matrix_product(product, nullptr);
  EXPECT_EQ(c[0], 0.0F);
  EXPECT_EQ(c[stride], 41.0F);
}

void expect_norm(std::size_t rows, std::size_t width, bool in_place) {
  Numbers x = random_numbers(rows * width, 5, 3.0F), y(x.size(), kUnset);
  const Numbers weight = random_numbers(width, 6), bias = random_numbers(width, 7);
  std::vector<double> expected;
  for (std::size_t i = 0; i < rows; ++i) {
    double mean = 0.0, variance = 0.0;
    for (std::size_t c = 0; c < width; ++c) mean += number(x[i * width + c]) / static_cast<double>(width);
    for (std::size_t c = 0; c < width; ++c)
      variance += std::pow(number(x[i * width + c]) - mean, 2) / static_cast<double>(width);
    for (std::size_t c = 0; c < width; ++c)
      expected.push_back((number(x[i * width + c]) - mean) / std::sqrt(variance + 1e-5) * number(weight[c]) +
                         number(bias[c]));
  }
  Numbers& to = in_place ? x : y;
  gpu::norm_rows({x.data(), to.data(), {weight.data(), bias.data()}, rows, static_cast<std::uint32_t>(width)},
                 nullptr);
  EXPECT_LE(relative_l2(to, expected), kTolerance) << rows << " x " << width;
}

TEST(NormRows, AgreesWithLoopsInDouble) {
  on_every_schedule([] {
    for (const std::size_t rows : {0U, 1U, 7U, 8U, 9U, 33U})
      for (const std::size_t width : {1U, 31U, 32U, 33U, 64U, 257U}) expect_norm(rows, width, rows % 2 == 0);
  });
}

TEST(Masks, FollowTheRanks) {
  const std::vector<std::uint8_t> keep = random_mask(40, 8);
  gpu::SurfaceView surface;
  surface.keep = keep.data();
  surface.n = 40;
  surface.num_ranked = 35;
  surface.padded = 4;
  on_every_schedule([&] {
    Numbers bias(surface.total(), kUnset), rows = random_numbers(surface.total() * 3, 9);
    const Numbers before = rows;
    gpu::mask_bias(surface, bias.data(), nullptr);
    gpu::zero_left_out(surface, rows.data(), 3, nullptr);
    for (std::size_t i = 0; i < surface.total(); ++i) {
      const bool part = i >= 40 || (i < 35 && keep[i] != 0);
      EXPECT_EQ(bias[i], part ? 0.0F : -std::numeric_limits<float>::infinity());
      for (std::size_t c = 3 * i; c < 3 * i + 3; ++c) EXPECT_EQ(rows[c], part ? before[c] : 0.0F);
    }
  });
}

TEST(GatherRows, CopiesTheRowsAskedFor) {
  const Numbers from = random_numbers(50 * 7, 10);
  std::vector<std::uint32_t> row;
  for (std::uint32_t i = 0; i < 33; ++i) row.push_back(i * 31 % 50);
  on_every_schedule([&] {
    Numbers to(row.size() * 7, kUnset);
    gpu::gather_rows({from.data(), row.data(), to.data(), row.size(), 7}, nullptr);
    for (std::size_t i = 0; i < to.size(); ++i) EXPECT_EQ(to[i], from[row[i / 7] * 7 + i % 7]);
  });
}

}  // namespace
}  // namespace pcl_attention::test
