// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/clouds.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

const float nan = std::numeric_limits<float>::quiet_NaN();

struct Rows {
  std::vector<float> values;
  std::vector<std::uint32_t> ranks;
  std::vector<double> weights;
  std::size_t width = 7;

  explicit Rows(std::size_t n)
      : values(random_cloud(n * 7, 1, {"v"}).values), ranks(random_permutation(n, 2)) {
    for (std::size_t i = 0; i < n; ++i) weights.push_back(std::abs(static_cast<double>(values[i * 7])));
  }

  std::vector<float> pooled(Pooling pooling, unsigned num_threads = 0) const {
    std::vector<float> row(width);
    pool_rows({values.data(), width, ranks.data(), ranks.size(), weights.data()}, pooling, row.data(),
              num_threads);
    return row;
  }

  // The definition, in the plainest form.
  std::vector<double> expected(Pooling pooling) const {
    std::vector<double> row(width, pooling == Pooling::maximum ? -1e300 : 0.0);
    double total = 0.0;
    for (const std::uint32_t i : ranks) {
      if (std::isnan(values[i * width])) continue;
      const double weight = pooling == Pooling::attention ? weights[i] : 1.0;
      total += weight;
      for (std::size_t c = 0; c < width; ++c) {
        const auto value = static_cast<double>(values[i * width + c]);
        row[c] = pooling == Pooling::maximum ? std::max(row[c], value) : row[c] + weight * value;
      }
    }
    if (pooling != Pooling::maximum)
      for (double& value : row) value /= total;
    return row;
  }
};

class PoolingTest : public ::testing::TestWithParam<Pooling> {};

TEST_P(PoolingTest, IsItsDefinition) {
  for (const std::size_t n : {1U, 2U, 1023U, 1024U, 1025U, 5000U}) {
    Rows rows(n);
    EXPECT_LT(relative_l2(rows.pooled(GetParam()), rows.expected(GetParam())), 1e-7) << n;
    if (n < 3) continue;
    rows.values[0] = nan;
    rows.values[7 * (n - 1)] = nan;
    EXPECT_LT(relative_l2(rows.pooled(GetParam()), rows.expected(GetParam())), 1e-7) << n;
  }
}

TEST_P(PoolingTest, SameBitsForAnyNumberOfThreads) {
  const Rows rows(4500);
  const std::vector<float> one = rows.pooled(GetParam(), 1);
  for (const unsigned threads : {2U, 3U, 8U}) EXPECT_TRUE(same_bits(rows.pooled(GetParam(), threads), one));
}

TEST_P(PoolingTest, NoRowGivesNan) {
  Rows rows(3);
  rows.values.assign(rows.values.size(), nan);
  for (const float value : rows.pooled(GetParam())) EXPECT_TRUE(std::isnan(value));
  rows.ranks.clear();
  for (const float value : rows.pooled(GetParam())) EXPECT_TRUE(std::isnan(value));
}

INSTANTIATE_TEST_SUITE_P(Kinds, PoolingTest,
                         ::testing::Values(Pooling::mean, Pooling::maximum, Pooling::attention));

TEST(Pooling, WeightsMustBeThereAndNotNegative) {
  Rows rows(5);
  float row[7];
  const PoolInput without{rows.values.data(), 7, rows.ranks.data(), 5, nullptr};
  EXPECT_THROW(pool_rows(without, Pooling::attention, row), std::invalid_argument);
  rows.weights[3] = -1.0;
  EXPECT_THROW(rows.pooled(Pooling::attention), std::invalid_argument);
  rows.weights[3] = std::nan("");
  EXPECT_THROW(rows.pooled(Pooling::attention), std::invalid_argument);
  rows.weights.assign(5, 0.0);
  for (const float value : rows.pooled(Pooling::attention)) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace pcl_attention::test
