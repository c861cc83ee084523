// SPDX-License-Identifier: BSD-3-Clause
// The product of a packed matrix with a tile. Included once per target.
#if defined(PCL_ATTENTION_MICRO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PCL_ATTENTION_MICRO_INL_H_
#undef PCL_ATTENTION_MICRO_INL_H_
#else
#define PCL_ATTENTION_MICRO_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/kernels.h"
#include "simd/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

// Rows × vectors held in registers: 32 registers with AVX-512, 16 elsewhere.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr std::size_t kRows = 8, kVectors = 2;
#elif HWY_TARGET == HWY_AVX2
constexpr std::size_t kRows = 4, kVectors = 3;
#else
constexpr std::size_t kRows = 4, kVectors = 2;
#endif

#define PCL_ATTENTION_UNROLL _Pragma("GCC unroll 16")

HWY_INLINE std::size_t lanes() { return hn::Lanes(Tag()); }
HWY_INLINE std::size_t step() { return kVectors * hn::Lanes(Tag()); }

using Block = Vector[kRows][kVectors];

/// Sets block[r][v] = Σ_k panel[k][r] · x[k · stride + lanes of v], in the sequence of k.
HWY_INLINE void multiply(const float* HWY_RESTRICT panel, std::size_t depth, const float* HWY_RESTRICT x,
                         std::size_t stride, Block& block) {
  const Tag d;
  const std::size_t n = lanes();
  PCL_ATTENTION_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) block[r][v] = hn::Zero(d);
  }
  _Pragma("GCC unroll 2") for (std::size_t k = 0; k < depth; ++k) {
    Vector column[kVectors];
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) column[v] = hn::Load(d, x + v * n);
    PCL_ATTENTION_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
      const Vector a = hn::Set(d, panel[r]);
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) block[r][v] =
          hn::MulAdd(a, column[v], block[r][v]);
    }
    panel += kRows;
    x += stride;
  }
}

/// Calls body(r, v) for the first `rows` rows of a block.
template <class Body>
HWY_INLINE void for_block(std::size_t rows, const Body& body) {
  PCL_ATTENTION_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
    if (r < rows) {
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) body(r, v);
    }
  }
}

/// out[c] = out[c] · factor + Σ_j values[j][c] · weights[j] for the lanes of one step.
/// @param values   one block of kKeyBlock slots, packed as KeyValues has them
/// @param weights  [count × step()]
/// @param out      [width × kTilePoints]
HWY_INLINE void add_values(const float* HWY_RESTRICT values, std::size_t width, std::size_t count,
                           const float* HWY_RESTRICT weights, const Vector (&factor)[kVectors],
                           float* HWY_RESTRICT out) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t c = 0; c < width; c += kRows) {
    Block block;
    multiply(values + c * kKeyBlock, count, weights, step(), block);
    for_block(HWY_MIN(kRows, width - c), [&](std::size_t r, std::size_t v) HWY_ATTR {
      float* at = out + (c + r) * kTilePoints + v * n;
      hn::Store(hn::MulAdd(hn::Load(d, at), factor[v], block[r][v]), d, at);
    });
  }
}

/// Returns the width of values padded to whole rows of a block.
HWY_INLINE std::size_t padded_width(std::size_t width) { return (width + kRows - 1) / kRows * kRows; }

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
