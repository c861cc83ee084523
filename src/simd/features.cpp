// SPDX-License-Identifier: BSD-3-Clause
#include "simd/features.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/features.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on
#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

/// elu(x) + 1: eˣ where x is negative, never 1 + (eˣ − 1).
HWY_INLINE Vector elu_plus_one(Vector x) {
  const Tag d;
  const Vector negative = hn::Min(x, hn::Zero(d));
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
    for (std::size_t c = 0; c < map.width; c += n) hn::StoreU(elu_plus_one(hn::LoadU(d, x + c)), d, phi + c);
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

void FeaturePanels(const FeatureMap& map, const float* HWY_RESTRICT x, std::size_t count,
                   const std::uint8_t* takes_part, float* HWY_RESTRICT scratch, float* HWY_RESTRICT panels) {
  const std::size_t size = map.size(), padded = (size + kSlotPanel - 1) / kSlotPanel * kSlotPanel;
  float* channels = scratch;
  float* phi = scratch + 2 * map.width + HWY_MAX_BYTES;
  std::fill_n(scratch, 2 * map.width + HWY_MAX_BYTES, 0.0F);
  for (std::size_t p = 0; p < count; ++p) {
    const bool counts = takes_part == nullptr || takes_part[p] != 0;
    for (std::size_t c = 0; c < map.width; ++c)
      channels[c] = channels[map.width + c] = x[c * kTilePoints + p];
    features_of_point(map, channels, phi);
    if (counts)
      std::fill(phi + size, phi + padded, 0.0F);
    else
      std::fill(phi, phi + padded, 0.0F);
    for (std::size_t f = 0; f < padded; f += kSlotPanel)
      std::copy_n(phi + f, kSlotPanel, panels + (f / kSlotPanel * kTilePoints + p) * kSlotPanel);
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

/// Returns φ_f of the lanes of one step.
HWY_INLINE Vector feature(const FeatureMap& map, const float* HWY_RESTRICT q, const Cursor& at) {
  const Tag d;
  if (map.elu) return elu_plus_one(hn::Load(d, q + at.f * kTilePoints));
  const std::size_t pairs = map.num_pairs();
  if (at.f < pairs)
    return hn::Mul(hn::Load(d, q + at.c * kTilePoints), hn::Load(d, q + at.other * kTilePoints));
  if (map.linear && at.f < pairs + map.width) return hn::Load(d, q + (at.f - pairs) * kTilePoints);
  return hn::Set(d, 1.0F);
}

/// Divides one step of out by the denominators; returns how many lanes before `count` count as zero.
HWY_INLINE std::size_t divide(const float* q, std::size_t width, std::size_t value_width, float least,
                              const Vector (&denominator)[kVectors], std::size_t count, float* out) {
  const Tag d;
  const std::size_t n = lanes();
  std::size_t zeros = 0;
  for (std::size_t v = 0; v < kVectors; ++v) {
    Vector square = hn::Zero(d);
    for (std::size_t c = 0; c < width; ++c) {
      const Vector value = hn::Load(d, q + c * kTilePoints + v * n);
      square = hn::MulAdd(value, value, square);
    }
    const auto positive = hn::Gt(denominator[v], hn::Mul(square, hn::Set(d, least)));
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
  Vector denominator[kVectors], one[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    denominator[v] = hn::Zero(d);
    one[v] = hn::Set(d, 1.0F);
  }
  for (std::size_t c = 0; c < width; ++c)
    for (std::size_t v = 0; v < kVectors; ++v) hn::Store(hn::Zero(d), d, out + c * kTilePoints + v * n);
  Cursor at;
  for (std::size_t first = 0; first < map.size(); first += kKeyBlock) {
    const std::size_t features = HWY_MIN(kKeyBlock, map.size() - first);
    for (std::size_t f = 0; f < features; ++f, at.next(map.width))
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector value = feature(map, q + v * n, at);
        denominator[v] = hn::MulAdd(value, hn::Set(d, mass[first + f]), denominator[v]);
        hn::Store(value, d, phi + f * step() + v * n);
      }
    add_values(values + first * padded_width(width), width, features, phi, one, out);
  }
  return divide(q, map.width, width, sums.least[h], denominator, count, out);
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
  return std::max(kKeyBlock * 64, 2 * map.width + map.size() + map.width + 3 * HWY_MAX_BYTES);
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
