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

std::size_t RowsPerPanel() { return kRows; }

/// One head's part of the work on one tile.
struct Head {
  const float* keys;
  const float* values;
  std::size_t width;
  const float* q;  ///< [width × kTilePoints]
  float* out;      ///< [width × kTilePoints]
};

/// Running maximum, sum and factor of the lanes of one step, and how many slots they see.
struct Running {
  Vector largest[kVectors], sum[kVectors], factor[kVectors], limit[kVectors];
};

HWY_INLINE Vector unseen() { return hn::Set(Tag(), -std::numeric_limits<float>::infinity()); }

/// Writes the scores of a block of keys and raises the running maximum. A slot that is not seen scores
/// −infinity.
template <bool kLimited>
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
      if constexpr (kLimited) {
        const Vector slot = hn::Set(d, static_cast<float>(first + j + r));
        value = hn::IfThenElse(hn::Lt(slot, running.limit[v]), value, unseen());
      }
      running.largest[v] = hn::Max(running.largest[v], value);
      hn::Store(value, d, scores + (j + r) * step() + v * n);
    });
  }
}

/// Turns scores into 2^(score − maximum) and adds them to the running sums.
template <bool kLimited>
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
      if constexpr (kLimited) weight = hn::IfThenZeroElse(hn::Eq(value, unseen()), weight);
      sum[v] = hn::Add(sum[v], weight);
      hn::Store(weight, d, at);
    }
  }
  PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) running.sum[v] =
      hn::MulAdd(running.sum[v], running.factor[v], sum[v]);
}

/// out = out · factor + Vᵀ P for one block of keys.
HWY_INLINE void add_values(const Head& head, std::size_t first, std::size_t count, std::size_t p,
                           const Running& running, const float* HWY_RESTRICT scores) {
  const Tag d;
  const std::size_t n = lanes(), padded = (head.width + kRows - 1) / kRows * kRows;
  const float* block_of_values = head.values + first * padded;
  for (std::size_t c = 0; c < head.width; c += kRows) {
    Block block;
    multiply(block_of_values + c * kKeyBlock, count, scores, step(), block);
    for_block(HWY_MIN(kRows, head.width - c), [&](std::size_t r, std::size_t v) HWY_ATTR {
      float* at = head.out + (c + r) * kTilePoints + p + v * n;
      hn::Store(hn::MulAdd(hn::Load(d, at), running.factor[v], block[r][v]), d, at);
    });
  }
}

/// Divides the lanes of one step by their sums; a lane that sees nothing stays 0.
HWY_INLINE void divide(const Head& head, std::size_t p, const float* sums) {
  const Tag d;
  const std::size_t n = lanes();
  PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    const Vector sum = hn::Load(d, sums + p + v * n), zero = hn::Zero(d);
    const Vector inverse = hn::IfThenZeroElse(hn::Eq(sum, zero), hn::Div(hn::Set(d, 1.0F), sum));
    for (std::size_t c = 0; c < head.width; ++c) {
      float* at = head.out + c * kTilePoints + p + v * n;
      hn::Store(hn::Mul(hn::Load(d, at), inverse), d, at);
    }
  }
}

template <bool kLimited>
HWY_INLINE void attend_block(const Head& head, std::size_t first, std::size_t count, const float* limits,
                             float* largest, float* sums, float* scores) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t p = 0; p < kTilePoints; p += step()) {
    Running running;
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      running.largest[v] = running.factor[v] = hn::Load(d, largest + p + v * n);
      running.sum[v] = hn::Load(d, sums + p + v * n);
      running.limit[v] = kLimited ? hn::Load(d, limits + p + v * n) : hn::Zero(d);
    }
    score<kLimited>(head, first, count, p, running, scores);
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) running.factor[v] =
        exp2_of_negative(hn::Sub(running.factor[v], running.largest[v]));
    exponentiate<kLimited>(count, running, scores);
    add_values(head, first, count, p, running, scores);
    PCL_ATTENTION_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(running.largest[v], d, largest + p + v * n);
      hn::Store(running.sum[v], d, sums + p + v * n);
    }
  }
}

template <bool kLimited>
void AttendAs(const KeyValues& kv, const float* q, const float* limits, float* out, float* scratch) {
  const Tag d;
  float* scores = scratch;
  float* largest = scratch + kKeyBlock * 64;
  float* sums = largest + kTilePoints;
  for (std::size_t h = 0; h < kv.heads; ++h) {
    const std::size_t row = h * kv.head_width * kTilePoints;
    const Head head{kv.keys + h * kv.key_size(), kv.values + h * kv.value_size(), kv.head_width, q + row,
                    out + row};
    for (std::size_t i = 0; i < kv.head_width * kTilePoints; i += lanes())
      hn::Store(hn::Zero(d), d, head.out + i);
    // The least finite number instead of −infinity keeps differences finite.
    for (std::size_t p = 0; p < kTilePoints; p += lanes()) {
      hn::Store(hn::Set(d, -FLT_MAX), d, largest + p);
      hn::Store(hn::Zero(d), d, sums + p);
    }
    for (std::size_t first = 0; first < kv.count; first += kKeyBlock)
      attend_block<kLimited>(head, first, HWY_MIN(kKeyBlock, kv.count - first), limits, largest, sums,
                             scores);
    if (kv.count == 0) continue;
    for (std::size_t p = 0; p < kTilePoints; p += step()) divide(head, p, sums);
  }
}

void Attend(const KeyValues& kv, const float* q, const float* limits, float* out, float* scratch) {
  if (limits == nullptr) return AttendAs<false>(kv, q, limits, out, scratch);
  AttendAs<true>(kv, q, limits, out, scratch);
}

void StoreKeys(const float* keys, const float* values, const std::uint8_t* columns, std::size_t first,
               std::size_t count, const KeyValues& to) {
  const std::size_t width = to.head_width, padded = (width + kRows - 1) / kRows * kRows;
  for (std::size_t h = 0; h < to.heads; ++h) {
    float* key_panels = to.keys + h * to.key_size();
    float* value_panels = to.values + h * to.value_size();
    for (std::size_t c = 0; c < width; ++c) {
      const float* key = keys + (h * width + c) * kTilePoints;
      const float* value = values + (h * width + c) * kTilePoints;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t slot = first + i, column = columns == nullptr ? i : columns[i];
        key_panels[slot / kRows * kRows * width + c * kRows + slot % kRows] = key[column];
        value_panels[slot / kKeyBlock * kKeyBlock * padded + c / kRows * kRows * kKeyBlock +
                     slot % kKeyBlock * kRows + c % kRows] = value[column];
      }
    }
  }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(RowsPerPanel);
HWY_EXPORT(Attend);
HWY_EXPORT(StoreKeys);

std::size_t KeyValues::value_size() const {
  const std::size_t rows = HWY_DYNAMIC_DISPATCH(RowsPerPanel)();
  return (head_width + rows - 1) / rows * rows * capacity;
}

void attend(const KeyValues& kv, const float* q, const float* limits, float* out, float* scratch) {
  HWY_DYNAMIC_DISPATCH(Attend)(kv, q, limits, out, scratch);
}

void store_keys(const float* keys, const float* values, const std::uint8_t* columns, std::size_t first,
                std::size_t count, const KeyValues& to) {
  HWY_DYNAMIC_DISPATCH(StoreKeys)(keys, values, columns, first, count, to);
}

}  // namespace pcl_attention::simd
#endif
