// SPDX-License-Identifier: BSD-3-Clause
#include "simd/morton.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/morton.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::ScalableTag<double>;
using Bits = hn::RebindToUnsigned<Reals>;

/// Returns the low 21 bits with two zero bits between neighbours; the text of ordering/morton.h.
HWY_INLINE hn::Vec<Bits> spread(hn::Vec<Bits> x) {
  const Bits d;
  x = hn::And(hn::Or(x, hn::ShiftLeft<32>(x)), hn::Set(d, 0x001F00000000FFFF));
  x = hn::And(hn::Or(x, hn::ShiftLeft<16>(x)), hn::Set(d, 0x001F0000FF0000FF));
  x = hn::And(hn::Or(x, hn::ShiftLeft<8>(x)), hn::Set(d, 0x100F00F00F00F00F));
  x = hn::And(hn::Or(x, hn::ShiftLeft<4>(x)), hn::Set(d, 0x10C30C30C30C30C3));
  return hn::And(hn::Or(x, hn::ShiftLeft<2>(x)), hn::Set(d, 0x1249249249249249));
}

/// Returns the clamped cells of one axis.
HWY_INLINE hn::Vec<Bits> cells_of(const Cells& cells, std::size_t axis, const double* x) {
  const Reals d;
  const Bits bits;
  const auto offset = hn::Sub(hn::Load(d, x), hn::Set(d, cells.low[axis]));
  const auto cell = hn::Floor(hn::Mul(offset, hn::Set(d, cells.inverse)));
  const auto index =
      hn::Min(hn::Max(hn::Add(cell, hn::Set(d, cells.first)), hn::Zero(d)), hn::Set(d, 2097151.0));
  // The sum's low bits are the index.
  const auto shifted = hn::Add(index, hn::Set(d, 4503599627370496.0));  // 2^52
  return hn::And(hn::BitCast(bits, shifted), hn::Set(bits, 0x1FFFFF));
}

void MortonKeys(const Cells& cells, const float* HWY_RESTRICT positions, std::size_t stride,
                std::size_t count, std::uint64_t* HWY_RESTRICT keys) {
  HWY_ALIGN double axes[3][kMortonPoints];
  HWY_ALIGN std::uint64_t out[kMortonPoints];
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      axes[axis][i] = static_cast<double>(positions[i * stride + axis]);
  const std::size_t lanes = hn::Lanes(Reals());
  for (std::size_t i = count; i % lanes != 0; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) axes[axis][i] = 0.0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto x = spread(cells_of(cells, 0, axes[0] + i)), y = spread(cells_of(cells, 1, axes[1] + i)),
               z = spread(cells_of(cells, 2, axes[2] + i));
    hn::Store(hn::Or(hn::ShiftLeft<2>(x), hn::Or(hn::ShiftLeft<1>(y), z)), Bits(), out + i);
  }
  std::copy_n(out, count, keys);
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(MortonKeys);

void morton_keys(const Cells& cells, const float* positions, std::size_t stride, std::size_t count,
                 std::uint64_t* keys) {
  HWY_DYNAMIC_DISPATCH(MortonKeys)(cells, positions, stride, count, keys);
}

}  // namespace pcl_attention::simd
#endif
