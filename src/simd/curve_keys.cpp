// SPDX-License-Identifier: BSD-3-Clause
#include "simd/curve_keys.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/curve_keys.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::ScalableTag<double>;
using Keys = hn::RebindToUnsigned<Reals>;
using Words = hn::ScalableTag<std::uint32_t>;
using Indices = hn::Rebind<std::int32_t, Reals>;  // of as many points as Reals

constexpr std::size_t kVectors = 2;

/// Cells of the points of a call, or digits along a curve made of them, axis by axis.
struct Block {
  HWY_ALIGN std::uint32_t axes[3][kKeyPoints];
};

/// Returns the clamped cells of one axis.
HWY_INLINE hn::Vec<Indices> cells_of(const Cells& cells, std::size_t axis, const double* x) {
  const Reals d;
  const auto offset = hn::Sub(hn::Load(d, x), hn::Set(d, cells.low[axis]));
  const auto cell = hn::Floor(hn::Mul(offset, hn::Set(d, cells.inverse)));
  const auto index =
      hn::Min(hn::Max(hn::Add(cell, hn::Set(d, cells.first)), hn::Zero(d)), hn::Set(d, 2097151.0));
  return hn::DemoteTo(Indices(), index);
}

/// Returns count rounded up to whole steps of to_hilbert(); the points behind it have cells, too.
HWY_INLINE std::size_t find_cells(const Cells& cells, const float* HWY_RESTRICT positions, std::size_t stride,
                                  std::size_t count, Block& block) {
  HWY_ALIGN double axes[3][kKeyPoints];
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      axes[axis][i] = static_cast<double>(positions[i * stride + axis]);
  std::size_t end = count;
  for (; end % (kVectors * hn::Lanes(Words())) != 0; ++end)
    for (std::size_t axis = 0; axis < 3; ++axis) axes[axis][end] = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < end; i += hn::Lanes(Reals()))
      hn::Store(hn::BitCast(hn::RebindToUnsigned<Indices>(), cells_of(cells, axis, axes[axis] + i)),
                hn::RebindToUnsigned<Indices>(), block.axes[axis] + i);
  return end;
}

/// Returns 21 bits with two zero bits between neighbours; the text of ordering/morton.h.
HWY_INLINE hn::Vec<Keys> spread(const std::uint32_t* words) {
  const Keys d;
  auto x = hn::PromoteTo(d, hn::Load(hn::Rebind<std::uint32_t, Keys>(), words));
  x = hn::And(hn::Or(x, hn::ShiftLeft<32>(x)), hn::Set(d, 0x001F00000000FFFF));
  x = hn::And(hn::Or(x, hn::ShiftLeft<16>(x)), hn::Set(d, 0x001F0000FF0000FF));
  x = hn::And(hn::Or(x, hn::ShiftLeft<8>(x)), hn::Set(d, 0x100F00F00F00F00F));
  x = hn::And(hn::Or(x, hn::ShiftLeft<4>(x)), hn::Set(d, 0x10C30C30C30C30C3));
  return hn::And(hn::Or(x, hn::ShiftLeft<2>(x)), hn::Set(d, 0x1249249249249249));
}

/// Writes the bit triples of the first points.
HWY_INLINE void interleave(const Block& block, std::size_t count, std::uint64_t* HWY_RESTRICT keys) {
  HWY_ALIGN std::uint64_t out[kKeyPoints];
  for (std::size_t i = 0; i < count; i += hn::Lanes(Keys())) {
    const auto x = spread(block.axes[0] + i), y = spread(block.axes[1] + i), z = spread(block.axes[2] + i);
    hn::Store(hn::Or(hn::ShiftLeft<2>(x), hn::Or(hn::ShiftLeft<1>(y), z)), Keys(), out + i);
  }
  std::copy_n(out, count, keys);
}

/// Flips the lower bits of x where y has its bit `top`, and swaps those of x and y elsewhere.
HWY_INLINE void flip_or_swap(hn::Vec<Words>& x, hn::Vec<Words>& y, std::uint32_t top) {
  const auto lower = hn::Set(Words(), top - 1);
  const auto flip = hn::TestBit(y, hn::Set(Words(), top));
  const auto differing = hn::And(hn::Xor(x, y), lower);
  x = hn::Xor(x, hn::IfThenElse(flip, lower, differing));
  y = hn::Xor(y, hn::IfThenZeroElse(flip, differing));
}

/// Turns the cells of some points into what interleaves to their places along the curve. Several vectors at
/// once hide that every step waits for the one before.
HWY_INLINE void to_hilbert(std::uint32_t* HWY_RESTRICT xs, std::uint32_t* HWY_RESTRICT ys,
                           std::uint32_t* HWY_RESTRICT zs) {
  const Words d;
  hn::Vec<Words> x[kVectors], y[kVectors], z[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    x[v] = hn::Load(d, xs + v * hn::Lanes(d));
    y[v] = hn::Load(d, ys + v * hn::Lanes(d));
    z[v] = hn::Load(d, zs + v * hn::Lanes(d));
  }
  for (std::uint32_t top = 1U << 20; top > 1; top >>= 1)
    for (std::size_t v = 0; v < kVectors; ++v) {
      x[v] = hn::Xor(x[v], hn::IfThenElseZero(hn::TestBit(x[v], hn::Set(d, top)), hn::Set(d, top - 1)));
      flip_or_swap(x[v], y[v], top);
      flip_or_swap(x[v], z[v], top);
    }
  for (std::size_t v = 0; v < kVectors; ++v) {
    y[v] = hn::Xor(y[v], x[v]);
    z[v] = hn::Xor(z[v], y[v]);
    auto above = hn::ShiftRight<1>(z[v]);  // each bit the parity of z's higher ones
    above = hn::Xor(above, hn::ShiftRight<1>(above));
    above = hn::Xor(above, hn::ShiftRight<2>(above));
    above = hn::Xor(above, hn::ShiftRight<4>(above));
    above = hn::Xor(above, hn::ShiftRight<8>(above));
    above = hn::Xor(above, hn::ShiftRight<16>(above));
    hn::Store(hn::Xor(x[v], above), d, xs + v * hn::Lanes(d));
    hn::Store(hn::Xor(y[v], above), d, ys + v * hn::Lanes(d));
    hn::Store(hn::Xor(z[v], above), d, zs + v * hn::Lanes(d));
  }
}

void MortonKeys(const Cells& cells, const float* HWY_RESTRICT positions, std::size_t stride,
                std::size_t count, std::uint64_t* HWY_RESTRICT keys) {
  Block block;
  find_cells(cells, positions, stride, count, block);
  interleave(block, count, keys);
}

void HilbertKeys(const Cells& cells, const float* HWY_RESTRICT positions, std::size_t stride,
                 std::size_t count, std::uint64_t* HWY_RESTRICT keys) {
  Block block;
  const std::size_t end = find_cells(cells, positions, stride, count, block);
  for (std::size_t i = 0; i < end; i += kVectors * hn::Lanes(Words()))
    to_hilbert(block.axes[0] + i, block.axes[1] + i, block.axes[2] + i);
  interleave(block, count, keys);
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(MortonKeys);
HWY_EXPORT(HilbertKeys);

void morton_keys(const Cells& cells, const float* positions, std::size_t stride, std::size_t count,
                 std::uint64_t* keys) {
  HWY_DYNAMIC_DISPATCH(MortonKeys)(cells, positions, stride, count, keys);
}

void hilbert_keys(const Cells& cells, const float* positions, std::size_t stride, std::size_t count,
                  std::uint64_t* keys) {
  HWY_DYNAMIC_DISPATCH(HilbertKeys)(cells, positions, stride, count, keys);
}

}  // namespace pcl_attention::simd
#endif
