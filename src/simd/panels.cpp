// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/panels.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
#include "simd/transpose-inl.h"
// clang-format on
#include <algorithm>
#include <cfloat>

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

void TurnPanels(const float* cosine_b, const float* sine_b, const float* cosine_a, const float* sine_a,
                std::size_t count, std::size_t padded_slots, float* panels) {
  const Tag d;
  for (std::size_t j = 0; j < padded_slots; j += lanes()) {
    const Vector c = hn::Load(d, cosine_a + j), s = hn::Load(d, sine_a + j);
    for (std::size_t p = 0; p < count; ++p) {
      const std::size_t at = panel_row(p) + panel_slot(j);
      const Vector turned =
          hn::NegMulAdd(s, hn::Load(d, sine_b + at), hn::Mul(c, hn::Load(d, cosine_b + at)));
      hn::Store(turned, d, panels + at);
    }
  }
}

void BlendPanels(const float* const* low, const float* const* high, const float* weight, float scale,
                 std::size_t count, std::size_t padded_slots, float* panels) {
  const Tag d;
  for (std::size_t p = 0; p < count; ++p) {
    const Vector w = hn::Set(d, weight[p]), rest = hn::Set(d, 1.0F - weight[p]), s = hn::Set(d, scale);
    for (std::size_t j = 0; j < padded_slots; j += lanes()) {
      const std::size_t at = panel_slot(j);
      Vector e = hn::Zero(d);
      if (low[p] != nullptr)
        e = hn::Mul(s, hn::MulAdd(w, hn::Load(d, high[p] + at), hn::Mul(rest, hn::Load(d, low[p] + at))));
      hn::Store(e, d, panels + panel_row(p) + at);
    }
  }
}

/// Turns scores [count × kTilePoints] into their softmax in base 2 down the lanes of one vector.
HWY_INLINE void softmax_down(float* scores, std::size_t count, Vector largest) {
  const Tag d;
  Vector sum = hn::Zero(d);
  for (std::size_t a = 0; a < count; ++a) {
    float* at = scores + a * kTilePoints;
    const Vector weight = exp2_of_negative(hn::Sub(hn::Load(d, at), largest));
    sum = hn::Add(sum, weight);
    hn::Store(weight, d, at);
  }
  const Vector inverse = hn::Div(hn::Set(d, 1.0F), sum);
  for (std::size_t a = 0; a < count; ++a) {
    float* at = scores + a * kTilePoints;
    hn::Store(hn::Mul(hn::Load(d, at), inverse), d, at);
  }
}

void AnchorWeights(const float* position, const float* anchors, std::size_t num_anchors, float factor,
                   float* weights) {
  const Tag d;
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    const Vector x = hn::Load(d, position + p);
    Vector largest = hn::Set(d, -FLT_MAX);
    for (std::size_t a = 0; a < num_anchors; ++a) {
      const Vector difference = hn::Sub(x, hn::Set(d, anchors[a]));
      const Vector score = hn::Mul(hn::Mul(difference, difference), hn::Set(d, factor));
      largest = hn::Max(largest, score);
      hn::Store(score, d, weights + a * kTilePoints + p);
    }
    softmax_down(weights + p, num_anchors, largest);
  }
}

void AnchorScores(const float* position, const float* anchors, std::size_t num_anchors, const float factor[3],
                  float* scores) {
  const Tag d;
  const auto plus = [&](Vector sum, Vector p, std::size_t axis, std::size_t a) HWY_ATTR {
    const Vector difference = hn::Sub(p, hn::Set(d, anchors[axis * num_anchors + a]));
    return hn::MulAdd(hn::Mul(difference, difference), hn::Set(d, factor[axis]), sum);
  };
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    const Vector x = hn::Load(d, position + p), y = hn::Load(d, position + kTilePoints + p),
                 z = hn::Load(d, position + 2 * kTilePoints + p);
    for (std::size_t a = 0; a < num_anchors; ++a) {
      const Vector score = plus(plus(plus(hn::Zero(d), x, 0, a), y, 1, a), z, 2, a);
      hn::Store(score, d, scores + a * kTilePoints + p);
    }
  }
}

/// Writes points of rows of slots [padded_slots × kTilePoints] as rows of panels. Both counts are multiples
/// of 4.
HWY_INLINE void transpose_to_panels(const float* rows, std::size_t first, std::size_t last,
                                    std::size_t padded_slots, float* panels) {
  for (std::size_t j = 0; j < padded_slots; j += 4)
    for (std::size_t p = first; p < last; p += 4) {
      const float* from = rows + j * kTilePoints + p;
      float* to = panels + panel_row(p) + panel_slot(j);
#if HWY_TARGET == HWY_SCALAR
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t q = 0; q < 4; ++q) to[panel_row(i) + q] = from[q * kTilePoints + i];
#else
      transpose_4x4(from, [to](std::size_t i) HWY_ATTR { return to + panel_row(i); });
#endif
    }
}

void SoftmaxPanels(float* scores, std::size_t num_slots, std::size_t padded_slots, float* panels) {
  const Tag d;
  constexpr std::size_t kAtOnce = 16;  // points, whose numbers stay in the cache
  std::size_t done = 0;
  std::fill(scores + num_slots * kTilePoints, scores + padded_slots * kTilePoints, 0.0F);
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    Vector largest = hn::Set(d, -FLT_MAX);
    for (std::size_t a = 0; a < num_slots; ++a)
      largest = hn::Max(largest, hn::Load(d, scores + a * kTilePoints + p));
    softmax_down(scores + p, num_slots, largest);
    const std::size_t end = p + lanes();
    if (end - done < kAtOnce) continue;
    transpose_to_panels(scores, done, end, padded_slots, panels);
    done = end;
  }
}

/// Smaller weights count as zero: denormal factors take a hundred times as long.
constexpr float kLeastWeight = 1e-30F;

void ProductPanels(const float* const weights[3], const std::size_t size[3], std::size_t padded_slots,
                   float* scratch, float* panels) {
  const Tag d;
  float* row = scratch;
  for (std::size_t a = 0; a < size[0]; ++a)
    for (std::size_t b = 0; b < size[1]; ++b)
      for (std::size_t c = 0; c < size[2]; ++c, row += kTilePoints)
        for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
          const Vector ab = hn::Mul(hn::Load(d, weights[0] + a * kTilePoints + p),
                                    hn::Load(d, weights[1] + b * kTilePoints + p));
          const Vector abc = hn::Mul(ab, hn::Load(d, weights[2] + c * kTilePoints + p));
          hn::Store(hn::IfThenElseZero(hn::Ge(abc, hn::Set(d, kLeastWeight)), abc), d, row + p);
        }
  std::fill(row, scratch + padded_slots * kTilePoints, 0.0F);
  transpose_to_panels(scratch, 0, kTilePoints, padded_slots, panels);
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(TurnPanels);
HWY_EXPORT(BlendPanels);
HWY_EXPORT(AnchorWeights);
HWY_EXPORT(AnchorScores);
HWY_EXPORT(SoftmaxPanels);
HWY_EXPORT(ProductPanels);

void turn_panels(const float* cosine_b, const float* sine_b, const float* cosine_a, const float* sine_a,
                 std::size_t count, std::size_t padded_slots, float* panels) {
  HWY_DYNAMIC_DISPATCH(TurnPanels)(cosine_b, sine_b, cosine_a, sine_a, count, padded_slots, panels);
}

void blend_panels(const float* const* low, const float* const* high, const float* weight, float scale,
                  std::size_t count, std::size_t padded_slots, float* panels) {
  HWY_DYNAMIC_DISPATCH(BlendPanels)(low, high, weight, scale, count, padded_slots, panels);
}

void anchor_weights(const float* position, const float* anchors, std::size_t num_anchors, float factor,
                    float* weights) {
  HWY_DYNAMIC_DISPATCH(AnchorWeights)(position, anchors, num_anchors, factor, weights);
}

void anchor_scores(const float* position, const float* anchors, std::size_t num_anchors,
                   const float factor[3], float* scores) {
  HWY_DYNAMIC_DISPATCH(AnchorScores)(position, anchors, num_anchors, factor, scores);
}

void softmax_panels(float* scores, std::size_t num_slots, std::size_t padded_slots, float* panels) {
  HWY_DYNAMIC_DISPATCH(SoftmaxPanels)(scores, num_slots, padded_slots, panels);
}

void product_panels(const float* const weights[3], const std::size_t size[3], std::size_t padded_slots,
                    float* scratch, float* panels) {
  HWY_DYNAMIC_DISPATCH(ProductPanels)(weights, size, padded_slots, scratch, panels);
}

}  // namespace pcl_attention::simd
#endif
