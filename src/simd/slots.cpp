// SPDX-License-Identifier: BSD-3-Clause
#include "simd/slots.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/slots.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

constexpr std::size_t kSlotVectors = 2;
constexpr std::size_t kPoints = kRows;  // whose scores are held at a time

using SlotBlock = Vector[kPoints][kSlotVectors];

/// Sets the block to what is added to the scores of points p … p + kPoints − 1.
HWY_INLINE void start(const SlotQueries& slots, std::size_t slot, std::size_t p, SlotBlock& block) {
  const Tag d;
  const std::size_t n = lanes();
  PCL_ATTENTION_UNROLL for (std::size_t i = 0; i < kPoints; ++i) {
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) {
      Vector value = slots.offsets == nullptr ? hn::Zero(d) : hn::Set(d, slots.offsets[p + i]);
      if (slots.anchors != nullptr) {
        Vector squared = hn::Zero(d);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const float* anchors = slots.anchors + axis * slots.padded_slots + slot + v * n;
          const Vector difference =
              hn::Sub(hn::Set(d, slots.positions[axis * kTilePoints + p + i]), hn::Load(d, anchors));
          squared = hn::MulAdd(difference, difference, squared);
        }
        value = hn::MulAdd(squared, hn::Set(d, slots.distance_factor), value);
      }
      block[i][v] = value;
    }
  }
}

/// Writes the scores of 2 vectors of slots with all points, and raises their maximum over those that take
/// part.
HWY_INLINE void score_slots(const SlotQueries& slots, std::size_t slot, const float* HWY_RESTRICT x,
                            std::size_t count, const std::uint8_t* takes_part, float* HWY_RESTRICT e,
                            Vector (&largest)[kSlotVectors]) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t p = 0; p < count; p += kPoints) {
    SlotBlock block;
    start(slots, slot, p, block);
    for (std::size_t c = 0; c < slots.width; ++c) {
      Vector z[kSlotVectors];
      for (std::size_t v = 0; v < kSlotVectors; ++v)
        z[v] = hn::Load(d, slots.queries + c * slots.padded_slots + slot + v * n);
      PCL_ATTENTION_UNROLL for (std::size_t i = 0; i < kPoints; ++i) {
        const Vector value = hn::Set(d, x[c * kTilePoints + p + i]);
        PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) block[i][v] =
            hn::MulAdd(value, z[v], block[i][v]);
      }
    }
    PCL_ATTENTION_UNROLL for (std::size_t i = 0; i < kPoints; ++i) {
      const bool counts = p + i < count && (takes_part == nullptr || takes_part[p + i] != 0);
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) {
        if (counts) largest[v] = hn::Max(largest[v], block[i][v]);
        hn::Store(block[i][v], d, e + (p + i) * kSlotPanel + v * n);
      }
    }
  }
}

void WeighSlots(const SlotQueries& slots, const float* HWY_RESTRICT x, std::size_t count,
                const std::uint8_t* takes_part, float* HWY_RESTRICT largest, float* HWY_RESTRICT panels) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t slot = 0; slot < slots.padded_slots; slot += kSlotVectors * n) {
    float* e = panels + panel_slot(slot);
    Vector most[kSlotVectors];
    for (std::size_t v = 0; v < kSlotVectors; ++v) most[v] = hn::Load(d, largest + slot + v * n);
    score_slots(slots, slot, x, count, takes_part, e, most);
    for (std::size_t v = 0; v < kSlotVectors; ++v) {
      most[v] = hn::Ceil(most[v]);
      hn::Store(most[v], d, largest + slot + v * n);
    }
    for (std::size_t p = 0; p < count; ++p) {
      float* at = e + p * kSlotPanel;
      const bool counts = takes_part == nullptr || takes_part[p] != 0;
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kSlotVectors; ++v) {
        const Vector weight = exp2_of_negative(hn::Sub(hn::Load(d, at + v * n), most[v]));
        hn::Store(counts ? weight : hn::Zero(d), d, at + v * n);
      }
    }
  }
}

void ScaledSquares(const float* HWY_RESTRICT x, std::size_t width, float factor,
                   float* HWY_RESTRICT squares) {
  const Tag d;
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    Vector sum = hn::Zero(d);
    for (std::size_t c = 0; c < width; ++c) {
      const Vector value = hn::Load(d, x + c * kTilePoints + p);
      sum = hn::MulAdd(value, value, sum);
    }
    hn::Store(hn::Mul(sum, hn::Set(d, factor)), d, squares + p);
  }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(WeighSlots);
HWY_EXPORT(ScaledSquares);

void weigh_slots(const SlotQueries& slots, const float* x, std::size_t count, const std::uint8_t* takes_part,
                 float* largest, float* panels) {
  HWY_DYNAMIC_DISPATCH(WeighSlots)(slots, x, count, takes_part, largest, panels);
}

void scaled_squares(const float* x, std::size_t width, float factor, float* squares) {
  HWY_DYNAMIC_DISPATCH(ScaledSquares)(x, width, factor, squares);
}

}  // namespace pcl_attention::simd
#endif
