// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>

#include "pcl_attention/ordering.h"
#include "support/clouds.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

std::string fault(const std::vector<std::uint32_t>& rows) {
  return message_of<std::invalid_argument>([&] { inverse_permutation(rows); });
}

TEST(InversePermutation, IsTheInverse) {
  for (const std::size_t n : {0, 1, 2, 1001}) {
    const std::vector<std::uint32_t> row_of_rank = random_permutation(n, 3);
    const std::vector<std::uint32_t> rank_of_row = inverse_permutation(row_of_rank);
    ASSERT_EQ(rank_of_row.size(), n);
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(row_of_rank[rank_of_row[i]], i);
  }
}

TEST(InversePermutation, OutOfRange) {
  EXPECT_TRUE(contains(fault({1}), "rank 0 has row 1, out of range for 1 rows"));
  EXPECT_TRUE(contains(fault({0, 1, 0xFFFFFFFF}), "rank 2 has row 4294967295"));
}

TEST(InversePermutation, Repeated) {
  EXPECT_TRUE(contains(fault({2, 0, 2}), "rank 2 has row 2, as before"));
  EXPECT_TRUE(contains(fault({0, 0}), "rank 1 has row 0, as before"));
}

}  // namespace
}  // namespace pcl_attention::test
