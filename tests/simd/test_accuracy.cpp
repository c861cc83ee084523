// SPDX-License-Identifier: BSD-3-Clause
// The error bounds that simd/kernels.h states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simd/targets.h"

namespace pcl_attention::test {
namespace {

using simd::kTilePoints;

/// Calls body(x, i) for tiles that sweep [low, high].
template <class Body>
void sweep(double low, double high, std::size_t tiles, const Body& body) {
  RandomTile x(1, 0);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    for (std::size_t p = 0; p < kTilePoints; ++p)
      x.data()[p] = static_cast<float>(low + (high - low) * static_cast<double>(tile * kTilePoints + p) /
                                                 static_cast<double>(tiles * kTilePoints - 1));
    body(x);
  }
}

TEST(Accuracy, GeluIsWithin4e7) {
  on_every_target([] {
    const float one = 1.0F, zero = 0.0F;
    Buffer<float> packed, y;
    packed.reserve(simd::packed_size(1, 1));
    simd::pack_matrix(&one, 1, 1, 1, 1, 1.0F, packed.data());
    y.reserve(kTilePoints);
    double largest = 0.0;
    for (double limit : {0.01, 2.0, 14.0, 1e4})
      sweep(-limit, limit, 500, [&](const RandomTile& x) {
        simd::linear({packed.data(), &zero, 1, 1}, x.data(), simd::Finish::gelu, nullptr, y.data());
        for (std::size_t p = 0; p < kTilePoints; ++p) {
          const double value = x.at(0, p), exact = value / 2 * std::erfc(-value / std::sqrt(2.0));
          // beyond 4 the rounding of the result itself counts
          const double error =
              std::abs(static_cast<double>(y.data()[p]) - exact) / std::max(1.0, std::abs(value) / 4);
          largest = std::max(largest, std::isnan(error) ? 1.0 : error);
        }
      });
    EXPECT_LE(largest, 4e-7) << simd::target_name();
  });
}

TEST(Accuracy, SoftmaxOfTwoKeysIsWithin4e7) {
  // keys 0 and 1, values 0 and 1: the output is 2^q / (1 + 2^q), relative error that of 2^q and three
  // roundings.
  on_every_target([] {
    simd::KeyValues kv;
    kv.heads = kv.head_width = kv.value_width = 1;
    kv.capacity = simd::kKeyBlock;
    kv.count = 2;
    Buffer<float> keys, values, out, scratch;
    kv.keys = keys.reserve(kv.key_size());
    kv.values = values.reserve(kv.value_size());
    RandomTile key(1, 0);
    key.data()[0] = 0.0F;
    key.data()[1] = 1.0F;
    simd::store_keys(key.data(), key.data(), nullptr, 0, 2, kv);
    out.reserve(kTilePoints);
    scratch.reserve(simd::attend_scratch_size());
    double largest = 0.0;
    for (double limit : {-1.0, -20.0, -120.0})
      sweep(limit, 0.0, 500, [&](const RandomTile& q) {
        simd::attend(kv, {q.data()}, out.data(), scratch.data());
        for (std::size_t p = 0; p < kTilePoints; ++p) {
          const double exact = 1.0 / (1.0 + std::exp2(-q.at(0, p)));
          const double error = std::abs(static_cast<double>(out.data()[p]) - exact) / exact;
          largest = std::max(largest, std::isnan(error) ? 1.0 : error);
        }
      });
    EXPECT_LE(largest, 4e-7) << simd::target_name();
  });
}

TEST(Accuracy, SinusoidsAreWithin3e7) {
  on_every_target([] {
    double largest = 0.0;
    for (double limit : {1.0, 1e3, 1e9}) {
      for (int tile = 0; tile < 200; ++tile) {
        double position[kTilePoints];
        alignas(64) float sine[kTilePoints] = {}, cosine[kTilePoints] = {};
        for (std::size_t p = 0; p < kTilePoints; ++p)
          position[p] = limit * (2.0 * (tile * 192.0 + static_cast<double>(p)) / (200.0 * 192.0) - 1.0);
        simd::add_sinusoid(position, 0.37, sine, cosine);
        for (std::size_t p = 0; p < kTilePoints; ++p) {
          const double turns = position[p] * 0.37, angle = 6.283185307179586 * (turns - std::round(turns));
          largest = std::max({largest, std::abs(static_cast<double>(sine[p]) - std::sin(angle)),
                              std::abs(static_cast<double>(cosine[p]) - std::cos(angle))});
        }
      }
    }
    EXPECT_LE(largest, 3e-7) << simd::target_name();
  });
}

}  // namespace
}  // namespace pcl_attention::test
