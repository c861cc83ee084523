// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/rows.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
/// Turns four channels of four points into four channels per point.
HWY_INLINE void transpose_4x4(const float* x, const std::uint32_t* row, std::size_t channels, float* out) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto a = hn::LoadU(d, x), b = hn::LoadU(d, x + kTilePoints), c = hn::LoadU(d, x + 2 * kTilePoints),
             e = hn::LoadU(d, x + 3 * kTilePoints);
  const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low_ab, low_ce)), d, out + row[0] * channels);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low_ab, low_ce)), d, out + row[1] * channels);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high_ab, high_ce)), d, out + row[2] * channels);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high_ab, high_ce)), d, out + row[3] * channels);
}
#endif

void StoreRows(const float* x, std::size_t channels, std::size_t count, const std::uint32_t* row,
               float* out) {
  std::size_t p = 0, first_single = 0;
#if HWY_TARGET != HWY_SCALAR
  first_single = channels / 4 * 4;
  for (; p + 4 <= count; p += 4)
    for (std::size_t c = 0; c < first_single; c += 4)
      transpose_4x4(x + c * kTilePoints + p, row + p, channels, out + c);
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
