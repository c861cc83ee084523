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

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
