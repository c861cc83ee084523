// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/rows.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

constexpr std::size_t kAhead = 8;  // points whose rows are on their way from memory

/// Asks for the lines of at most four rows, which lie anywhere.
HWY_INLINE void fetch_rows(const std::uint32_t* row, std::size_t count, std::size_t channels, float* out) {
  for (std::size_t i = 0; i < HWY_MIN(count, 4); ++i)
    for (std::size_t c = 0; c < channels; c += 16) __builtin_prefetch(out + row[i] * channels + c, 1);
}

void StoreRows(const float* x, std::size_t channels, std::size_t count, const std::uint32_t* row,
               float* out) {
  std::size_t p = 0, first_single = 0;
#if HWY_TARGET != HWY_SCALAR
  first_single = channels / 4 * 4;
  for (; p + 4 <= count; p += 4) {
    fetch_rows(row + p + kAhead, count > p + kAhead ? count - p - kAhead : 0, channels, out);
    for (std::size_t c = 0; c < first_single; c += 4)
      transpose_4x4(x + c * kTilePoints + p,
                    [&](std::size_t i) HWY_ATTR { return out + row[p + i] * channels + c; });
  }
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
