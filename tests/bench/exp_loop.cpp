// SPDX-License-Identifier: BSD-3-Clause
#include "bench/exp_loop.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/exp_loop.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/vector_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

void Exponentials(float* HWY_RESTRICT x, std::size_t n) {
  const Tag d;
  for (std::size_t i = 0; i < n; i += 4 * hn::Lanes(d))
    for (std::size_t v = 0; v < 4; ++v) {
      float* at = x + i + v * hn::Lanes(d);
      hn::Store(exp2_of_negative(hn::Load(d, at)), d, at);
    }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(Exponentials);
void run_exponentials(float* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(Exponentials)(x, n); }
}  // namespace pcl_attention::simd

namespace pcl_attention::bench {
void exponentials(float* x, std::size_t n) { simd::run_exponentials(x, n); }
}  // namespace pcl_attention::bench
#endif
