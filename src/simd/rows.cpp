// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/rows.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

void StoreRows(const float* x, std::size_t channels, std::size_t count, const std::uint32_t* row,
               float* out) {
  std::size_t p = 0, first_single = 0;
#if HWY_TARGET != HWY_SCALAR
  first_single = channels / 4 * 4;
  for (; p + 4 <= count; p += 4)
    for (std::size_t c = 0; c < first_single; c += 4)
      transpose_4x4(x + c * kTilePoints + p,
                    [&](std::size_t i) HWY_ATTR { return out + row[p + i] * channels + c; });
#endif
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = i < p ? first_single : 0; c < channels; ++c)
      out[row[i] * channels + c] = x[c * kTilePoints + i];
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(StoreRows);

void store_rows(const float* x, std::size_t channels, std::size_t count, const std::uint32_t* row,
                float* out) {
  HWY_DYNAMIC_DISPATCH(StoreRows)(x, channels, count, row, out);
}

void store_rows(const float* x, std::size_t channels, std::size_t count, const std::uint32_t* row,
                double* out) {
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t c = 0; c < channels; ++c)
      out[row[p] * channels + c] = static_cast<double>(x[c * kTilePoints + p]);
}

}  // namespace pcl_attention::simd
#endif
