// SPDX-License-Identifier: BSD-3-Clause
#include "simd/features.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/features.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
#include "simd/transpose-inl.h"
// clang-format on
#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

/// (elu(x) + 1) · e^−shift: eˣ where x is negative, never 1 + (eˣ − 1). shift ≤ 0, and 0 if any x is
/// positive.
HWY_INLINE Vector elu_plus_one(Vector x, Vector shift) {
  const Tag d;
  const Vector negative = hn::Min(hn::Sub(x, shift), hn::Zero(d));
  const Vector exponential = exp2_of_negative(hn::Mul(negative, hn::Set(d, 1.442695041F)));
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Add(x, hn::Set(d, 1.0F)), exponential);
}

/// Writes φ of one point. Vectors may end behind the last feature.
/// @param x  [2 · width + lanes] the point's channels, twice
HWY_INLINE void features_of_point(const FeatureMap& map, const float* HWY_RESTRICT x,
                                  float* HWY_RESTRICT phi) {
  const Tag d;
  const std::size_t n = lanes();
  if (map.elu) {
    for (std::size_t c = 0; c < map.width; c += n)
      hn::StoreU(elu_plus_one(hn::LoadU(d, x + c), hn::Zero(d)), d, phi + c);
    return;
  }
  for (std::size_t shift = 0; 2 * shift <= map.width; ++shift)
    for (std::size_t c = 0; c < map.width; c += n)
      hn::StoreU(hn::Mul(hn::LoadU(d, x + c), hn::LoadU(d, x + c + shift)), d, phi + shift * map.width + c);
  std::size_t next = map.num_pairs();
  if (map.linear) {
    std::copy_n(x, map.width, phi + next);
    next += map.width;
  }
  if (map.constant) phi[next] = 1.0F;
}

constexpr std::size_t kPoints = 4;  // whose channels are gathered at a time

/// Writes the channels of four points, each twice in a row: to[i · size + c], c < 2 · width.
HWY_INLINE void gather_points(const float* HWY_RESTRICT x, std::size_t width, std::size_t size,
                              float* HWY_RESTRICT to) {
  std::size_t c = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; c + 4 <= width; c += 4)
    transpose_4x4(x + c * kTilePoints, [&](std::size_t i) HWY_ATTR { return to + i * size + c; });
#endif
  for (; c < width; ++c)
    for (std::size_t i = 0; i < kPoints; ++i) to[i * size + c] = x[c * kTilePoints + i];
  for (std::size_t i = 0; i < kPoints; ++i) std::copy_n(to + i * size, width, to + i * size + width);
}

/// Writes φ of one point to its row of the panels.
HWY_INLINE void store_features(const float* HWY_RESTRICT phi, std::size_t padded, float* HWY_RESTRICT row) {
  const Tag d;
  for (std::size_t f = 0; f < padded; f += kSlotPanel, row += kTilePoints * kSlotPanel)
    for (std::size_t j = 0; j < kSlotPanel; j += lanes()) hn::Store(hn::LoadU(d, phi + f + j), d, row + j);
}

void FeaturePanels(const FeatureMap& map, const float* HWY_RESTRICT x, std::size_t count,
                   const std::uint8_t* takes_part, float* HWY_RESTRICT scratch, float* HWY_RESTRICT panels) {
  const std::size_t size = map.size(), padded = padded_slots(size);
  const std::size_t gathered = 2 * map.width + HWY_MAX_BYTES;
  float* phi = scratch + kPoints * gathered;
  std::fill_n(scratch, kPoints * gathered, 0.0F);
  for (std::size_t p = 0; p < count; ++p) {
    if (p % kPoints == 0) gather_points(x + p, map.width, gathered, scratch);
    features_of_point(map, scratch + p % kPoints * gathered, phi);
    const bool counts = takes_part == nullptr || takes_part[p] != 0;
    std::fill(phi + (counts ? size : 0), phi + padded, 0.0F);
    store_features(phi, padded, panels + panel_row(p));
  }
}

/// Walks along the features of a map.
struct Cursor {
  std::size_t f = 0, c = 0, other = 0, shift = 0;

  HWY_INLINE void next(std::size_t width) {
    ++f;
    if (++other == width) other = 0;
    if (++c < width) return;
    c = 0;
    other = ++shift;
  }
};

/// Returns what keeps φ(q) in the range of float, and cancels in the quotient: of elu the shift of all
/// exponents, else a power of two that q is divided by, inverted.
HWY_INLINE Vector range_of(const FeatureMap& map, const float* HWY_RESTRICT q) {
  const Tag d;
  const hn::RebindToUnsigned<Tag> bits;
  Vector most = hn::Load(d, q), size = hn::Set(d, 1.0F);
  for (std::size_t c = 0; c < map.width; ++c) {
    const Vector value = hn::Load(d, q + c * kTilePoints);
    most = hn::Max(most, value);
    size = hn::Max(size, hn::Abs(value));
  }
  if (map.elu) return hn::Min(most, hn::Zero(d));
  const auto power = hn::And(hn::BitCast(bits, size), hn::Set(bits, 0x7F800000));
  return hn::Div(hn::Set(d, 1.0F), hn::BitCast(d, power));
}

/// Returns φ_f of a vector of points.
HWY_INLINE Vector feature(const FeatureMap& map, const float* HWY_RESTRICT q, Vector range,
                          const Cursor& at) {
  const Tag d;
  if (map.elu) return elu_plus_one(hn::Load(d, q + at.f * kTilePoints), range);
  const std::size_t pairs = map.num_pairs();
  if (at.f < pairs)
    return hn::Mul(hn::Mul(hn::Load(d, q + at.c * kTilePoints), range),
                   hn::Mul(hn::Load(d, q + at.other * kTilePoints), range));
  if (map.linear && at.f < pairs + map.width)
    return hn::Mul(hn::Mul(hn::Load(d, q + (at.f - pairs) * kTilePoints), range), range);
  return hn::Mul(range, range);
}

/// Divides one step of out by the denominators; returns how many lanes before `count` count as zero.
HWY_INLINE std::size_t divide(const float* q, const Vector (&range)[kVectors], std::size_t width,
                              std::size_t value_width, float least, const Vector (&denominator)[kVectors],
                              std::size_t count, float* out) {
  const Tag d;
  const std::size_t n = lanes();
  std::size_t zeros = 0;
  for (std::size_t v = 0; v < kVectors; ++v) {
    Vector bound = hn::Zero(d);
    for (std::size_t c = 0; least != 0.0F && c < width; ++c) {
      const Vector value = hn::Mul(hn::Load(d, q + c * kTilePoints + v * n), range[v]);
      bound = hn::MulAdd(hn::Mul(value, value), hn::Set(d, least), bound);
    }
    const auto positive = hn::Gt(denominator[v], bound);
    const Vector inverse = hn::IfThenElseZero(positive, hn::Div(hn::Set(d, 1.0F), denominator[v]));
    for (std::size_t c = 0; c < value_width; ++c) {
      float* at = out + c * kTilePoints + v * n;
      hn::Store(hn::Mul(hn::Load(d, at), inverse), d, at);
    }
    const std::size_t asked = count > v * n ? HWY_MIN(n, count - v * n) : 0;
    zeros += asked - hn::CountTrue(d, hn::And(positive, hn::FirstN(d, asked)));
  }
  return zeros;
}

/// One head and one step of points.
HWY_INLINE std::size_t answer_step(const FeatureMap& map, const FeatureSums& sums, std::size_t h,
                                   const float* q, std::size_t count, float* HWY_RESTRICT phi, float* out) {
  const Tag d;
  const std::size_t n = lanes(), width = sums.values.value_width;
  const float* values = sums.values.values + h * sums.values.value_size();
  const float* mass = sums.mass + h * sums.values.capacity;
  Vector denominator[kVectors], one[kVectors], range[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    denominator[v] = hn::Zero(d);
    one[v] = hn::Set(d, 1.0F);
    range[v] = range_of(map, q + v * n);
  }
  for (std::size_t c = 0; c < width; ++c)
    for (std::size_t v = 0; v < kVectors; ++v) hn::Store(hn::Zero(d), d, out + c * kTilePoints + v * n);
  Cursor at;
  for (std::size_t first = 0; first < map.size(); first += kKeyBlock) {
    const std::size_t features = HWY_MIN(kKeyBlock, map.size() - first);
    for (std::size_t f = 0; f < features; ++f, at.next(map.width))
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector value = feature(map, q + v * n, range[v], at);
        denominator[v] = hn::MulAdd(value, hn::Set(d, mass[first + f]), denominator[v]);
        hn::Store(value, d, phi + f * step() + v * n);
      }
    add_values(values + first * padded_width(width), width, features, phi, one, out);
  }
  return divide(q, range, map.width, width, sums.least[h], denominator, count, out);
}

std::size_t AnswerFeatures(const FeatureMap& map, const FeatureSums& sums, const float* q, std::size_t count,
                           float* scratch, float* out) {
  std::size_t zeros = 0;
  for (std::size_t h = 0; h < sums.values.heads; ++h)
    for (std::size_t p = 0; p < kTilePoints; p += step())
      zeros += answer_step(map, sums, h, q + h * map.width * kTilePoints + p, count > p ? count - p : 0,
                           scratch, out + h * sums.values.value_width * kTilePoints + p);
  return zeros;
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(FeaturePanels);
HWY_EXPORT(AnswerFeatures);

std::size_t feature_scratch_size(const FeatureMap& map) {
  return std::max(kKeyBlock * 64, 9 * map.width + map.size() + 6 * HWY_MAX_BYTES);
}

void feature_panels(const FeatureMap& map, const float* x, std::size_t count, const std::uint8_t* takes_part,
                    float* scratch, float* panels) {
  HWY_DYNAMIC_DISPATCH(FeaturePanels)(map, x, count, takes_part, scratch, panels);
}

std::size_t answer_features(const FeatureMap& map, const FeatureSums& sums, const float* q, std::size_t count,
                            float* scratch, float* out) {
  return HWY_DYNAMIC_DISPATCH(AnswerFeatures)(map, sums, q, count, scratch, out);
}

}  // namespace pcl_attention::simd
#endif
