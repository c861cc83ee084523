// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "attention/networks.h"
#include "support/compare.h"
#include "support/threads.h"

namespace pcl_attention::test {
namespace {

TEST(Threads, SameBitsForOneTwoAndEight) {
  const AllowThreads allowed(8);
  ASSERT_EQ(count_threads_that_take_part(8), 8U);
  for (const NamedConfig& named : all_mechanisms()) {
    const std::size_t n = named.config.mechanism == Mechanism::full ? 2500 : 5000;
    const FloatCloud cloud = random_cloud(n, 17, small_fields());
    const ModelPtr model = make_random_model(named.config, 1);
    Encoder one = make_encoder(model, Device::reference, {}, 1);
    const auto expected = encode(one, cloud);
    for (unsigned num_threads : {2U, 8U}) {
      Encoder more = make_encoder(model, Device::reference, {}, num_threads);
      EXPECT_TRUE(same_bits(encode(more, cloud), expected)) << named.name << ' ' << num_threads;
    }
  }
}

}  // namespace
}  // namespace pcl_attention::test
