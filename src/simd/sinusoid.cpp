// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/sinusoid.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

void AddSinusoid(const double* position, double factor, float* sine, float* cosine) {
  const Tag d;
  HWY_ALIGN float turns[kTilePoints];
  // Whole turns are taken off in double. The sum's low bits hold the nearest integer.
  constexpr double kShift = 6755399441055744.0;  // 1.5 · 2^52
  for (std::size_t p = 0; p < kTilePoints; ++p) {
    const double all = position[p] * factor;
    turns[p] = static_cast<float>(all - ((all + kShift) - kShift));
  }
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    Vector s, c;
    sin_cos_of_turns(hn::Load(d, turns + p), s, c);
    hn::Store(hn::Add(hn::Load(d, sine + p), s), d, sine + p);
    if (cosine != nullptr) hn::Store(hn::Add(hn::Load(d, cosine + p), c), d, cosine + p);
  }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(AddSinusoid);

void add_sinusoid(const double* position, double factor, float* sine, float* cosine) {
  HWY_DYNAMIC_DISPATCH(AddSinusoid)(position, factor, sine, cosine);
}

}  // namespace pcl_attention::simd
#endif
