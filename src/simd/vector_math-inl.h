// SPDX-License-Identifier: BSD-3-Clause
// Polynomials on vectors of float. Included once per target.
#if defined(PCL_ATTENTION_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PCL_ATTENTION_VECTOR_MATH_INL_H_
#undef PCL_ATTENTION_VECTOR_MATH_INL_H_
#else
#define PCL_ATTENTION_VECTOR_MATH_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

/// Evaluates c[0] + c[1] x + … by Horner's rule.
template <std::size_t kCount>
HWY_INLINE Vector polynomial(Vector x, const float (&c)[kCount]) {
  const Tag d;
  Vector sum = hn::Set(d, c[kCount - 1]);
  for (std::size_t i = kCount - 1; i > 0; --i) sum = hn::MulAdd(sum, x, hn::Set(d, c[i - 1]));
  return sum;
}

/// Returns 2^x for x ≤ 0; x below −126 counts as −126. Relative error ≤ 2e-7.
/// 2^n by the exponent bits, 2^f on [−1/2, 1/2] by a minimax polynomial of degree 5.
HWY_INLINE Vector exp2_of_negative(Vector x) {
  constexpr float kMinimax[] = {1.0F,           0.6931469776F,   0.2402224208F,
                                0.05550733745F, 0.009671512917F, 0.001326472739F};
  const Tag d;
  const hn::RebindToSigned<Tag> integers;
  const Vector clamped = hn::Max(x, hn::Set(d, -126.0F));
  const Vector shift = hn::Set(d, 12582912.0F);  // 1.5 · 2^23: the sum's low bits are round(x)
  const Vector shifted = hn::Add(clamped, shift);
  const Vector fraction = hn::Sub(clamped, hn::Sub(shifted, shift));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integers, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(integers, polynomial(fraction, kMinimax)), exponent));
}

/// (elu(x) + 1) · e^−shift: eˣ where x is negative, never 1 + (eˣ − 1). shift ≤ 0, and 0 if any x is
/// positive.
HWY_INLINE Vector elu_plus_one(Vector x, Vector shift) {
  const Tag d;
  const Vector negative = hn::Min(hn::Sub(x, shift), hn::Zero(d));
  const Vector exponential = exp2_of_negative(hn::Mul(negative, hn::Set(d, 1.442695041F)));
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Add(x, hn::Set(d, 1.0F)), exponential);
}

/// Returns gelu(x) = x/2 · (1 + erf(x/√2)) = max(x, 0) − a · Φ(−a), a = |x|, with Φ(−a) = 2^q(a). Absolute
/// error ≤ 4e-7. Beyond a = 12 the second term is below 1e-31.
HWY_INLINE Vector gelu(Vector x) {
  constexpr float kMinimax[] = {-0.999996329F,   -1.151177107F,     -0.4588343354F,  -0.05333739683F,
                                0.008036970542F, -0.0007569148281F, 3.177477735e-05F};
  const Tag d;
  const Vector a = hn::Min(hn::Abs(x), hn::Set(d, 12.0F));
  return hn::NegMulAdd(a, exp2_of_negative(polynomial(a, kMinimax)), hn::Max(x, hn::Zero(d)));
}

/// Writes sin and cos of 2π·turns, |turns| ≤ 1/2. Absolute error ≤ 3e-7.
/// A quarter turn is taken off; on ±π/4 the polynomials of the Cephes library (Moshier) are used.
HWY_INLINE void sin_cos_of_turns(Vector turns, Vector& sine, Vector& cosine) {
  constexpr float kSine[] = {1.0F, -1.6666654611e-1F, 8.3321608736e-3F, -1.9515295891e-4F};
  constexpr float kCosine[] = {1.0F, -0.5F, 4.166664568298827e-2F, -1.388731625493765e-3F,
                               2.443315711809948e-5F};
  const Tag d;
  const Vector quarters = hn::Round(hn::Mul(turns, hn::Set(d, 4.0F)));
  const Vector rest = hn::NegMulAdd(quarters, hn::Set(d, 0.25F), turns);
  const Vector angle = hn::Mul(rest, hn::Set(d, 6.283185307F));
  const Vector squared = hn::Mul(angle, angle);
  const Vector s = hn::Mul(angle, polynomial(squared, kSine)), c = polynomial(squared, kCosine);
  const Vector size = hn::Abs(quarters);
  const auto odd = hn::Eq(size, hn::Set(d, 1.0F));
  const auto half = hn::Eq(size, hn::Set(d, 2.0F));
  const Vector turned_sine = hn::Mul(quarters, c), turned_cosine = hn::Neg(hn::Mul(quarters, s));
  sine = hn::IfThenElse(odd, turned_sine, hn::IfThenElse(half, hn::Neg(s), s));
  cosine = hn::IfThenElse(odd, turned_cosine, hn::IfThenElse(half, hn::Neg(c), c));
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
