// SPDX-License-Identifier: BSD-3-Clause
#include "simd/features.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/answer_features.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

// Vectors of points × panels of kRows channels whose sums are held in registers. Where there are 32 of them,
// a feature is made once for 16 channels.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr std::size_t kAsked = 1, kMostPanels = 2;
#else
constexpr std::size_t kAsked = 2, kMostPanels = 1;
#endif

HWY_INLINE std::size_t asked() { return kAsked * lanes(); }

/// One head's S and z.
struct Head {
  const float* values;
  const float* mass;
  const FeatureTerm* terms;
  std::size_t num_features, width, value_width;
  float least;
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

/// Writes u, whose products are the features, for a vector of points: q and 1 in range; of elu φ(q) and 1.
/// @param u  [width + 1] vectors, asked() apart
HWY_INLINE void load_factors(const FeatureMap& map, const float* HWY_RESTRICT q, float* HWY_RESTRICT u) {
  const Tag d;
  const Vector range = range_of(map, q);
  for (std::size_t c = 0; c < map.width; ++c) {
    const Vector x = hn::Load(d, q + c * kTilePoints);
    hn::Store(map.elu ? elu_plus_one(x, range) : hn::Mul(x, range), d, u + c * asked());
  }
  hn::Store(map.elu ? hn::Set(d, 1.0F) : range, d, u + map.width * asked());
}

/// Sums φ · S over all features for kPanels panels of channels from `values` on; with kMass also φ · z.
template <std::size_t kPanels, bool kMass>
HWY_INLINE void sum_features(const Head& head, const float* HWY_RESTRICT values, const float* HWY_RESTRICT u,
                             Vector (&sums)[kPanels * kRows][kAsked], Vector (&mass)[kAsked]) {
  const Tag d;
  PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kAsked; ++v) {
    PCL_ATTENTION_UNROLL for (std::size_t r = 0; r < kPanels * kRows; ++r) sums[r][v] = hn::Zero(d);
    if (kMass) mass[v] = hn::Zero(d);
  }
  for (std::size_t f = 0; f < head.num_features; values += padded_width(head.value_width) * kKeyBlock) {
    const float* row = values;
    for (const std::size_t end = HWY_MIN(head.num_features, f + kKeyBlock); f < end; ++f, row += kRows) {
      const float *a = u + head.terms[f].a * asked(), *b = u + head.terms[f].b * asked();
      Vector phi[kAsked];
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kAsked; ++v) {
        phi[v] = hn::Mul(hn::Load(d, a + v * lanes()), hn::Load(d, b + v * lanes()));
        if (kMass) mass[v] = hn::MulAdd(hn::Set(d, head.mass[f]), phi[v], mass[v]);
      }
      PCL_ATTENTION_UNROLL for (std::size_t r = 0; r < kPanels * kRows; ++r) {
        const Vector value = hn::Set(d, row[r / kRows * kKeyBlock * kRows + r % kRows]);
        PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kAsked; ++v) sums[r][v] =
            hn::MulAdd(value, phi[v], sums[r][v]);
      }
    }
  }
}

/// Returns 1 / (φ · z), 0 where φ · z counts as zero.
HWY_INLINE Vector inverse_of(const Head& head, const float* u, Vector mass) {
  const Tag d;
  Vector bound = hn::Zero(d);
  for (std::size_t c = 0; head.least != 0.0F && c < head.width; ++c) {
    const Vector x = hn::Load(d, u + c * asked());
    bound = hn::MulAdd(hn::Mul(x, x), hn::Set(d, head.least), bound);
  }
  return hn::IfThenElseZero(hn::Gt(mass, bound), hn::Div(hn::Set(d, 1.0F), mass));
}

/// Writes kPanels panels of channels from channel c on; the first ones find the inverse.
template <std::size_t kPanels, bool kFirst>
HWY_INLINE void answer_panels(const Head& head, const float* u, std::size_t c, Vector (&inverse)[kAsked],
                              float* out) {
  const Tag d;
  Vector sums[kPanels * kRows][kAsked];
  sum_features<kPanels, kFirst>(head, head.values + c * kKeyBlock, u, sums, inverse);
  for (std::size_t v = 0; kFirst && v < kAsked; ++v)
    inverse[v] = inverse_of(head, u + v * lanes(), inverse[v]);
  PCL_ATTENTION_UNROLL for (std::size_t r = 0; r < kPanels * kRows; ++r) {
    if (c + r < head.value_width) {
      PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kAsked; ++v)
          hn::Store(hn::Mul(sums[r][v], inverse[v]), d, out + (c + r) * kTilePoints + v * lanes());
    }
  }
}

/// The same for as many panels as there are; returns how many channels that makes.
template <bool kFirst>
HWY_INLINE std::size_t answer_some(const Head& head, const float* u, std::size_t c, Vector (&inverse)[kAsked],
                                   float* out) {
  if (c + (kMostPanels - 1) * kRows < head.value_width) {
    answer_panels<kMostPanels, kFirst>(head, u, c, inverse, out);
    return kMostPanels * kRows;
  }
  answer_panels<1, kFirst>(head, u, c, inverse, out);
  return kRows;
}

/// Writes asked() points' answers of one head; returns how many of the first `count` divide by zero.
HWY_INLINE std::size_t answer_step(const FeatureMap& map, const Head& head, const float* q, std::size_t count,
                                   float* HWY_RESTRICT u, float* out) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t v = 0; v < kAsked; ++v) load_factors(map, q + v * n, u + v * n);
  Vector inverse[kAsked];
  std::size_t c = answer_some<true>(head, u, 0, inverse, out);
  while (c < head.value_width) c += answer_some<false>(head, u, c, inverse, out);
  std::size_t zeros = 0;
  for (std::size_t v = 0; v < kAsked && v * n < count; ++v) {
    const auto counted = hn::FirstN(d, HWY_MIN(n, count - v * n));
    zeros += hn::CountTrue(d, hn::And(hn::Eq(inverse[v], hn::Zero(d)), counted));
  }
  return zeros;
}

std::size_t AnswerFeatures(const FeatureMap& map, const FeatureSums& sums, const float* q, std::size_t count,
                           float* scratch, float* out) {
  const std::size_t width = sums.values.value_width;
  std::size_t zeros = 0;
  for (std::size_t h = 0; h < sums.values.heads; ++h) {
    const Head head{sums.values.values + h * sums.values.value_size(),
                    sums.mass + h * sums.values.capacity,
                    sums.terms,
                    map.size(),
                    map.width,
                    width,
                    sums.least[h]};
    for (std::size_t p = 0; p < kTilePoints; p += asked())
      zeros += answer_step(map, head, q + h * map.width * kTilePoints + p, count > p ? count - p : 0, scratch,
                           out + h * width * kTilePoints + p);
  }
  return zeros;
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(AnswerFeatures);

std::size_t answer_features(const FeatureMap& map, const FeatureSums& sums, const float* q, std::size_t count,
                            float* scratch, float* out) {
  return HWY_DYNAMIC_DISPATCH(AnswerFeatures)(map, sums, q, count, scratch, out);
}

}  // namespace pcl_attention::simd
#endif
