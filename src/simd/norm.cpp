// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/norm.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

/// Returns Σ_c term(c) down the channels of a lane, in four interleaved sums.
template <class Term>
HWY_INLINE Vector sum_channels(std::size_t channels, const Term& term) {
  const Tag d;
  Vector sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  std::size_t c = 0;
  for (; c + 4 <= channels; c += 4) {
    PCL_ATTENTION_UNROLL for (std::size_t i = 0; i < 4; ++i) sum[i] = term(c + i, sum[i]);
  }
  for (; c < channels; ++c) sum[0] = term(c, sum[0]);
  return hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
}

void LayerNormOfTile(const float* x, std::size_t channels, const float* weight, const float* bias, float* y) {
  const Tag d;
  const Vector share = hn::Set(d, 1.0F / static_cast<float>(channels));
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    const Vector mean = hn::Mul(share, sum_channels(channels, [&](std::size_t c, Vector sum) HWY_ATTR {
                                  return hn::Add(sum, hn::Load(d, x + c * kTilePoints + p));
                                }));
    const Vector variance = hn::Mul(share, sum_channels(channels, [&](std::size_t c, Vector sum) HWY_ATTR {
                                      const Vector from_mean =
                                          hn::Sub(hn::Load(d, x + c * kTilePoints + p), mean);
                                      return hn::MulAdd(from_mean, from_mean, sum);
                                    }));
    const Vector inverse = hn::Div(hn::Set(d, 1.0F), hn::Sqrt(hn::Add(variance, hn::Set(d, 1e-5F))));
    for (std::size_t c = 0; c < channels; ++c) {
      const Vector unit = hn::Mul(hn::Sub(hn::Load(d, x + c * kTilePoints + p), mean), inverse);
      hn::Store(hn::MulAdd(unit, hn::Set(d, weight[c]), hn::Set(d, bias[c])), d, y + c * kTilePoints + p);
    }
  }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(LayerNormOfTile);

void layer_norm(const float* x, std::size_t channels, const float* weight, const float* bias, float* y) {
  HWY_DYNAMIC_DISPATCH(LayerNormOfTile)(x, channels, weight, bias, y);
}

}  // namespace pcl_attention::simd
#endif
