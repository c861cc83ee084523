// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/accumulate.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

/// Adds a vector of float to numbers in double.
HWY_INLINE void add_to(double* sums, Vector values) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> halves;
  HWY_ALIGN float lane[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(values, Tag(), lane);
  for (std::size_t i = 0; i < lanes(); i += hn::Lanes(d)) {
    const auto sum = hn::Add(hn::LoadU(d, sums + i), hn::PromoteTo(d, hn::LoadU(halves, lane + i)));
    hn::StoreU(sum, d, sums + i);
  }
}

/// Adds kChannels channels' sums over the points for kSlotVectors vectors of slots, with kMass those of e,
/// too. Lanes are slots; every point's value is broadcast.
template <std::size_t kSlotVectors, std::size_t kChannels, bool kMass>
HWY_INLINE void accumulate_block(const float* HWY_RESTRICT x, std::size_t count, const float* HWY_RESTRICT e,
                                 std::size_t padded_slots, double* HWY_RESTRICT sums, double* mass) {
  const Tag d;
  const std::size_t n = lanes();
  Vector block[kChannels][kSlotVectors], total[kSlotVectors];
  PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) total[v] = hn::Zero(d);
  PCL_ATTENTION_UNROLL for (std::size_t c = 0; c < kChannels; ++c) {
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) block[c][v] = hn::Zero(d);
  }
  _Pragma("GCC unroll 2") for (std::size_t p = 0; p < count; ++p) {
    Vector row[kSlotVectors];
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) row[v] = hn::Load(d, e + v * n);
    if constexpr (kMass) {
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) total[v] =
          hn::Add(total[v], row[v]);
    }
    PCL_ATTENTION_UNROLL for (std::size_t c = 0; c < kChannels; ++c) {
      const Vector value = hn::Set(d, x[c * kTilePoints + p]);
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) block[c][v] =
          hn::MulAdd(value, row[v], block[c][v]);
    }
    e += kSlotPanel;
  }
  for (std::size_t c = 0; c < kChannels; ++c)
    for (std::size_t v = 0; v < kSlotVectors; ++v) add_to(sums + c * padded_slots + v * n, block[c][v]);
  if constexpr (kMass)
    for (std::size_t v = 0; v < kSlotVectors; ++v) add_to(mass + v * n, total[v]);
}

template <std::size_t kSlotVectors, std::size_t kChannels>
HWY_INLINE void accumulate_rows(const float* x, std::size_t count, const float* e, std::size_t padded_slots,
                                double* sums, double* mass) {
  if (mass == nullptr)
    accumulate_block<kSlotVectors, kChannels, false>(x, count, e, padded_slots, sums, nullptr);
  else
    accumulate_block<kSlotVectors, kChannels, true>(x, count, e, padded_slots, sums, mass);
}

/// All channels' sums for kSlotVectors vectors of slots.
template <std::size_t kSlotVectors>
HWY_INLINE void accumulate_slots(const float* x, std::size_t channels, std::size_t count, const float* e,
                                 std::size_t padded_slots, double* sums, double* mass) {
  for (std::size_t c = 0; c < channels; mass = nullptr) {
    double* to = sums + c * padded_slots;
    const bool whole = c + kRows <= channels;
    if (whole)
      accumulate_rows<kSlotVectors, kRows>(x + c * kTilePoints, count, e, padded_slots, to, mass);
    else
      accumulate_rows<kSlotVectors, 1>(x + c * kTilePoints, count, e, padded_slots, to, mass);
    c += whole ? kRows : 1;
  }
}

void Accumulate(const float* x, std::size_t channels, std::size_t count, const float* e, std::size_t slots,
                double* sums, double* mass) {
  const std::size_t n = lanes(), padded = padded_slots(slots);
  for (std::size_t slot = 0; slot < slots; slot += 2 * n) {
    const float* rows = e + panel_slot(slot);
    double* once = mass == nullptr ? nullptr : mass + slot;
    if (slot + n < slots)
      accumulate_slots<2>(x, channels, count, rows, padded, sums + slot, once);
    else
      accumulate_slots<1>(x, channels, count, rows, padded, sums + slot, once);
  }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(Accumulate);

void accumulate(const float* x, std::size_t channels, std::size_t count, const float* e, std::size_t slots,
                double* sums, double* mass) {
  HWY_DYNAMIC_DISPATCH(Accumulate)(x, channels, count, e, slots, sums, mass);
}

}  // namespace pcl_attention::simd
#endif
