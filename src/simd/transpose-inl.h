// SPDX-License-Identifier: BSD-3-Clause
// Columns of a tile as rows. Included once per target.
#if defined(PCL_ATTENTION_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PCL_ATTENTION_TRANSPOSE_INL_H_
#undef PCL_ATTENTION_TRANSPOSE_INL_H_
#else
#define PCL_ATTENTION_TRANSPOSE_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// Turns four rows of four points of a tile into four numbers per point: row(i)[c] = x[c · kTilePoints + i].
template <class Row>
HWY_INLINE void transpose_4x4(const float* x, const Row& row) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto a = hn::LoadU(d, x), b = hn::LoadU(d, x + kTilePoints), c = hn::LoadU(d, x + 2 * kTilePoints),
             e = hn::LoadU(d, x + 3 * kTilePoints);
  const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low_ab, low_ce)), d, row(0));
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low_ab, low_ce)), d, row(1));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high_ab, high_ce)), d, row(2));
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high_ab, high_ce)), d, row(3));
}
#endif

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
