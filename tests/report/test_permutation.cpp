// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pcl_attention/equivariance.h"

namespace pcl_attention::test {
namespace {

using Rows = std::vector<std::uint32_t>;

TEST(Permutation, KindsDoWhatTheySay) {
  EXPECT_EQ(make_permutation({PermutationKind::reversed, 0}, 4), (Rows{3, 2, 1, 0}));
  EXPECT_EQ(make_permutation({PermutationKind::ends_exchanged, 0}, 4), (Rows{3, 1, 2, 0}));
  const Rows swapped = make_permutation({PermutationKind::adjacent_swap, 5}, 100);
  std::size_t moved = 0;
  for (std::uint32_t i = 0; i < 100; ++i) moved += swapped[i] != i ? 1 : 0;
  EXPECT_EQ(moved, 2U);
  const Rows rotated = make_permutation({PermutationKind::block_rotation, 5}, 100);
  for (std::size_t i = 1; i < 100; ++i) EXPECT_EQ(rotated[i], (rotated[i - 1] + 1) % 100);
  EXPECT_NE(rotated[0], 0U);
}

TEST(Permutation, AllAreCompleteAndNoneIsTheIdentity) {
  for (std::size_t n : {0U, 1U, 2U, 3U, 1000U}) {
    Rows identity(n);
    std::iota(identity.begin(), identity.end(), 0U);
    for (PermutationKind kind :
         {PermutationKind::reversed, PermutationKind::adjacent_swap, PermutationKind::ends_exchanged,
          PermutationKind::block_rotation, PermutationKind::random}) {
      Rows rows = make_permutation({kind, 3}, n);
      if (n > 2) {
        EXPECT_NE(rows, identity) << to_string(Permutation{kind, 3});
      }
      std::sort(rows.begin(), rows.end());
      EXPECT_EQ(rows, identity);
    }
  }
}

TEST(Permutation, SeedsDecide) {
  const auto random = [](std::uint64_t seed) {
    return make_permutation({PermutationKind::random, seed}, 50);
  };
  EXPECT_EQ(random(1), random(1));
  EXPECT_NE(random(1), random(2));
}

}  // namespace
}  // namespace pcl_attention::test
