// SPDX-License-Identifier: BSD-3-Clause
#include "simd/features.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/feature_panels.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
#include "simd/transpose-inl.h"
// clang-format on
#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

/// Writes the channels of kGathered points as rows, each channel twice: to[i · size + c], c < 2 · width. A
/// whole group before any is read, for a vector whose parts have just been stored is slow to load.
HWY_INLINE void gather_points(const float* HWY_RESTRICT x, std::size_t width, std::size_t size,
                              float* HWY_RESTRICT to) {
  for (std::size_t twice = 0; twice < 2; ++twice, to += width)
    for (std::size_t p = 0; p < kGathered; p += 4) {
      std::size_t c = 0;
#if HWY_TARGET != HWY_SCALAR
      for (; c + 4 <= width; c += 4)
        transpose_4x4(x + c * kTilePoints + p,
                      [&](std::size_t i) HWY_ATTR { return to + (p + i) * size + c; });
#endif
      for (; c < width; ++c)
        for (std::size_t i = p; i < p + 4; ++i) to[i * size + c] = x[c * kTilePoints + i];
    }
}

/// Writes the vectors of(p) of the first `count` points as features f, f + 1, … of their rows of panels, as
/// far as these go.
template <class Of>
HWY_INLINE void store_features(std::size_t f, std::size_t padded, std::size_t count, const Of& of,
                               float* HWY_RESTRICT panels) {
  const Tag d;
  if (f % kSlotPanel + lanes() <= kSlotPanel) {
    for (std::size_t p = 0; p < count; ++p) hn::StoreU(of(p), d, panels + panel_row(p) + panel_slot(f));
    return;
  }
  HWY_ALIGN float lane[HWY_MAX_BYTES / sizeof(float)];
  for (std::size_t p = 0; p < count; ++p) {
    hn::Store(of(p), d, lane);
    for (std::size_t i = 0; i < HWY_MIN(lanes(), padded - f); ++i)
      panels[panel_row(p) + panel_slot(f + i)] = lane[i];
  }
}

/// Writes φ of gathered points, vector after vector. One may end behind the features it is made for; the next
/// is written over it.
/// @param rows  [count × size] of gathered points
HWY_INLINE void features_of_points(const FeatureMap& map, const float* HWY_RESTRICT rows, std::size_t size,
                                   std::size_t count, float* HWY_RESTRICT panels) {
  const Tag d;
  const std::size_t n = lanes(), width = map.width, padded = padded_slots(map.size());
  const std::size_t shifts = map.elu ? 1 : width / 2 + 1, made = map.elu ? width : map.num_pairs();
  const auto load = [&](std::size_t p, std::size_t c) HWY_ATTR { return hn::LoadU(d, rows + p * size + c); };
  for (std::size_t shift = 0; shift < shifts; ++shift)
    for (std::size_t c = 0; c < width && shift * width + c < made; c += n) {
      const auto elu = [&](std::size_t p) HWY_ATTR { return elu_plus_one(load(p, c), hn::Zero(d)); };
      const auto pairs = [&](std::size_t p) HWY_ATTR { return hn::Mul(load(p, c), load(p, c + shift)); };
      if (map.elu)
        store_features(c, padded, count, elu, panels);
      else
        store_features(shift * width + c, padded, count, pairs, panels);
    }
  // The others and the zeros behind them lie ready in the rows. The last vector ends with the panel.
  const std::size_t ready = map.linear ? width : 2 * width + (map.constant ? 0 : 1);
  for (std::size_t next = made; next < padded; next += n) {
    const std::size_t f = HWY_MAX(made, HWY_MIN(next, padded - n));
    const auto copy = [&](std::size_t p) HWY_ATTR { return load(p, ready + f - made); };
    store_features(f, padded, count, copy, panels);
  }
}

void FeaturePanels(const FeatureMap& map, const float* HWY_RESTRICT x, std::size_t count,
                   const std::uint8_t* takes_part, float* HWY_RESTRICT scratch, float* HWY_RESTRICT panels) {
  const std::size_t size = gathered_size(map);
  std::fill_n(scratch, kGathered * size, 0.0F);
  for (std::size_t i = 0; i < kGathered; ++i) scratch[i * size + 2 * map.width] = 1.0F;
  for (std::size_t p = 0; p < count; p += kGathered) {
    gather_points(x + p, map.width, size, scratch);
    features_of_points(map, scratch, size, HWY_MIN(kGathered, count - p), panels + panel_row(p));
  }
  for (std::size_t p = 0; takes_part != nullptr && p < count; ++p)
    for (std::size_t f = 0; takes_part[p] == 0 && f < padded_slots(map.size()); f += kSlotPanel)
      std::fill_n(panels + panel_row(p) + panel_slot(f), kSlotPanel, 0.0F);
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(FeaturePanels);

void feature_panels(const FeatureMap& map, const float* x, std::size_t count, const std::uint8_t* takes_part,
                    float* scratch, float* panels) {
  HWY_DYNAMIC_DISPATCH(FeaturePanels)(map, x, count, takes_part, scratch, panels);
}

}  // namespace pcl_attention::simd
#endif
