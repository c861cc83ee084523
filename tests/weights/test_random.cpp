// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "weights/random.h"

namespace pcl_attention::test {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers of the authors' Random123 library for philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomSequence, SeedsAndStreamsDiffer) {
  RandomSequence first(1, 2), again(1, 2), other_seed(2, 2), other_stream(1, 3);
  const std::uint32_t word = first.next();
  EXPECT_EQ(word, again.next());
  EXPECT_NE(word, other_seed.next());
  EXPECT_NE(word, other_stream.next());
}

TEST(RandomSequence, MomentsAreThoseOfTheDistribution) {
  RandomSequence random(5, 0);
  const int count = 200000;
  double uniform = 0.0, normal = 0.0, squared = 0.0;
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform(), z = random.normal();
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    uniform += u / count;
    normal += z / count;
    squared += z * z / count;
  }
  EXPECT_NEAR(uniform, 0.5, 0.005);
  EXPECT_NEAR(normal, 0.0, 0.01);
  EXPECT_NEAR(squared, 1.0, 0.02);
}

}  // namespace
}  // namespace pcl_attention::test
