// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include "attention/networks.h"
#include "support/compare.h"
namespace pcl_attention::test {
namespace {
TEST(Cuda, All) {
  for (const NamedConfig& named : all_mechanisms()) {
    const ModelPtr model = make_random_model(named.config, 3);
    const FloatCloud cloud = random_cloud(300, 1, small_fields());
    Encoder cuda = make_encoder(model, Device::cuda), reference = make_encoder(model, Device::reference);
    EXPECT_LE(relative_l2(encode(cuda, cloud), encode(reference, cloud)), 1e-5) << named.name;
  }
}
}  // namespace
}  // namespace pcl_attention::test
