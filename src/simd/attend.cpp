// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/attend.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on
#include <cfloat>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

/// What a score is made of beside q · k.
enum class Extra { none, limits, bias, distance };

/// One head's part of the work on one tile.
struct Head {
  const float* keys;
  const float* values;
  std::size_t width, value_width;
  const float* q;  ///< [width × kTilePoints]
  float* out;      ///< [value_width × kTilePoints]
  const float* limits;
  const float* bias;       ///< [capacity]
  const float* anchors;    ///< [3 × capacity]
  const float* positions;  ///< [3 × kTilePoints]
  std::size_t capacity, before;
  float distance_factor;
};

/// Running maximum, sum and factor of the lanes of one step, and how many slots they see.
struct Running {
  Vector largest[kVectors], sum[kVectors], factor[kVectors], limit[kVectors];
};

HWY_INLINE Vector unseen() { return hn::Set(Tag(), -std::numeric_limits<float>::infinity()); }

/// Returns the scaled squared distance of a step's points from a slot's anchor.
HWY_INLINE Vector distance(const Head& head, std::size_t slot, std::size_t p) {
  const Tag d;
  Vector squared = hn::Zero(d);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Vector difference = hn::Sub(hn::Load(d, head.positions + axis * kTilePoints + p),
                                      hn::Set(d, head.anchors[axis * head.capacity + slot]));
    squared = hn::MulAdd(difference, difference, squared);
  }
  return hn::Mul(squared, hn::Set(d, head.distance_factor));
}

/// Writes the scores of a block of keys and raises the running maximum. A slot that is not seen scores
/// −infinity.
template <Extra kExtra>
HWY_INLINE void score(const Head& head, std::size_t first, std::size_t count, std::size_t p, Running& running,
                      float* HWY_RESTRICT scores) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t j = 0; j < count; j += kRows) {
    Block block;
    multiply(head.keys + (first + j) * head.width, head.width, head.q + p, kTilePoints, block);
    const std::size_t rows = HWY_MIN(kRows, count - j);
    for_block(rows, [&](std::size_t r, std::size_t v) HWY_ATTR {
      Vector value = block[r][v];
      if constexpr (kExtra == Extra::bias) value = hn::Add(value, hn::Set(d, head.bias[first + j + r]));
      if constexpr (kExtra == Extra::distance)
        value = hn::Add(value, distance(head, first + j + r, p + v * n));
      if constexpr (kExtra == Extra::limits) {
        const Vector slot = hn::Set(d, static_cast<float>(head.before + first + j + r));
        value = hn::IfThenElse(hn::Lt(slot, running.limit[v]), value, unseen());
      }
      running.largest[v] = hn::Max(running.largest[v], value);
      hn::Store(value, d, scores + (j + r) * step() + v * n);
    });
  }
}

/// Turns scores into 2^(score − maximum) and adds them to the running sums.
template <Extra kExtra>
HWY_INLINE void exponentiate(std::size_t count, Running& running, float* HWY_RESTRICT scores) {
  const Tag d;
  const std::size_t n = lanes();
  Vector sum[kVectors];
  PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (std::size_t j = 0; j < count; ++j) {
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      float* at = scores + j * step() + v * n;
      const Vector value = hn::Load(d, at);
      Vector weight = exp2_of_negative(hn::Sub(value, running.largest[v]));
      if constexpr (kExtra == Extra::limits) weight = hn::IfThenZeroElse(hn::Eq(value, unseen()), weight);
      sum[v] = hn::Add(sum[v], weight);
      hn::Store(weight, d, at);
    }
  }
  PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) running.sum[v] =
      hn::MulAdd(running.sum[v], running.factor[v], sum[v]);
}

template <Extra kExtra>
HWY_INLINE void attend_block(const Head& head, std::size_t first, std::size_t count, float* largest,
                             float* sums, float* scores) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t p = 0; p < kTilePoints; p += step()) {
    Running running;
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      running.largest[v] = running.factor[v] = hn::Load(d, largest + p + v * n);
      running.sum[v] = hn::Load(d, sums + p + v * n);
      running.limit[v] = kExtra == Extra::limits ? hn::Load(d, head.limits + p + v * n) : hn::Zero(d);
    }
    score<kExtra>(head, first, count, p, running, scores);
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) running.factor[v] =
        exp2_of_negative(hn::Sub(running.factor[v], running.largest[v]));
    exponentiate<kExtra>(count, running, scores);
    add_values(head.values + first * padded_width(head.value_width), head.value_width, count, scores,
               running.factor, head.out + p);
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(running.largest[v], d, largest + p + v * n);
      hn::Store(running.sum[v], d, sums + p + v * n);
    }
  }
}

Head head_of(const KeyValues& kv, const Queries& queries, std::size_t h, float* out) {
  return {kv.keys + h * kv.key_size(),
          kv.values + h * kv.value_size(),
          kv.head_width,
          kv.value_width,
          queries.q + h * kv.head_width * kTilePoints,
          out,
          queries.limits,
          kv.bias == nullptr ? nullptr : kv.bias + h * kv.capacity,
          kv.anchors,
          queries.positions,
          kv.capacity,
          kv.before,
          kv.distance_factor == nullptr ? 0.0F : kv.distance_factor[h]};
}

/// One head's part of `to`.
Attending part(const KeyValues& shape, const Attending& to, std::size_t h) {
  return {to.out + h * shape.value_width * kTilePoints, to.largest + h * kTilePoints,
          to.sums + h * kTilePoints};
}

void start_head(std::size_t width, const Attending& to) {
  const Tag d;
  for (std::size_t i = 0; i < width * kTilePoints; i += lanes()) hn::Store(hn::Zero(d), d, to.out + i);
  // The least finite number instead of −infinity keeps differences finite.
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    hn::Store(hn::Set(d, -FLT_MAX), d, to.largest + p);
    hn::Store(hn::Zero(d), d, to.sums + p);
  }
}

template <Extra kExtra>
void attend_head(const KeyValues& kv, const Queries& queries, std::size_t h, const Attending& to,
                 float* scores) {
  const Head head = head_of(kv, queries, h, to.out);
  for (std::size_t first = 0; first < kv.count; first += kKeyBlock)
    attend_block<kExtra>(head, first, HWY_MIN(kKeyBlock, kv.count - first), to.largest, to.sums, scores);
}

/// Divides by the sums; a lane that sees nothing stays 0.
void finish_head(std::size_t width, const Attending& to) {
  const Tag d;
  for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
    const Vector sum = hn::Load(d, to.sums + p), zero = hn::Zero(d);
    const Vector inverse = hn::IfThenZeroElse(hn::Eq(sum, zero), hn::Div(hn::Set(d, 1.0F), sum));
    for (std::size_t c = 0; c < width; ++c) {
      float* at = to.out + c * kTilePoints + p;
      hn::Store(hn::Mul(hn::Load(d, at), inverse), d, at);
    }
  }
}

template <Extra kExtra>
void AttendAs(const KeyValues& kv, const Queries& queries, float* out, float* scratch) {
  float* largest = scratch + kKeyBlock * 64;
  for (std::size_t h = 0; h < kv.heads; ++h) {
    const Attending to{out + h * kv.value_width * kTilePoints, largest, largest + kTilePoints};
    start_head(kv.value_width, to);
    attend_head<kExtra>(kv, queries, h, to, scratch);
    finish_head(kv.value_width, to);
  }
}

void Attend(const KeyValues& kv, const Queries& queries, float* out, float* scratch) {
  if (queries.limits != nullptr) return AttendAs<Extra::limits>(kv, queries, out, scratch);
  if (kv.bias != nullptr) return AttendAs<Extra::bias>(kv, queries, out, scratch);
  if (kv.anchors != nullptr) return AttendAs<Extra::distance>(kv, queries, out, scratch);
  AttendAs<Extra::none>(kv, queries, out, scratch);
}

void StartAttending(const KeyValues& shape, const Attending& to) {
  for (std::size_t h = 0; h < shape.heads; ++h) start_head(shape.value_width, part(shape, to, h));
}

void AttendMore(const KeyValues& piece, const Queries& queries, const Attending& to, float* scratch) {
  for (std::size_t h = 0; h < piece.heads; ++h) {
    if (queries.limits != nullptr)
      attend_head<Extra::limits>(piece, queries, h, part(piece, to, h), scratch);
    else
      attend_head<Extra::none>(piece, queries, h, part(piece, to, h), scratch);
  }
}

void FinishAttending(const KeyValues& shape, const Attending& to) {
  for (std::size_t h = 0; h < shape.heads; ++h) finish_head(shape.value_width, part(shape, to, h));
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(Attend);
HWY_EXPORT(StartAttending);
HWY_EXPORT(AttendMore);
HWY_EXPORT(FinishAttending);

void attend(const KeyValues& kv, const Queries& queries, float* out, float* scratch) {
  HWY_DYNAMIC_DISPATCH(Attend)(kv, queries, out, scratch);
}

void start_attending(const KeyValues& shape, const Attending& to) {
  HWY_DYNAMIC_DISPATCH(StartAttending)(shape, to);
}

void attend_more(const KeyValues& piece, const Queries& queries, const Attending& to, float* scratch) {
  HWY_DYNAMIC_DISPATCH(AttendMore)(piece, queries, to, scratch);
}

void finish_attending(const KeyValues& shape, const Attending& to) {
  HWY_DYNAMIC_DISPATCH(FinishAttending)(shape, to);
}

}  // namespace pcl_attention::simd
#endif
