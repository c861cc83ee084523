// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/staged.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// What attention needs in shared memory beside queries and answers.
struct AttendMemory {
  float* largest;  // [rows] of attention; the range of features
  float* sum;      // [rows] of attention; the denominators of features
  float* weights;  // [warps × 32]
  float* keys;     // staged, or null
  float* values;   // likewise
};

/// One head's slots of a block.
struct HeadSlots {
  SlotRows keys, values;
  const float* bias;     // of the first slot, or null
  const float* anchors;  // likewise
  float distance_factor;
  std::size_t first;
  unsigned count;
};

/// Returns the score of the lane's slot for one row.
__device__ inline float score_of(const AnswerRows& p, const HeadSlots& slots, const float* query,
                                 std::size_t row) {
  const unsigned slot = lane_index();
  if (slot >= slots.count || (p.summary.causal && slots.first + slot > row)) return minus_infinity();
  const float* const key = slots.keys.data + slot * slots.keys.stride;
  float score = 0.0F;
  for (unsigned c = 0; c < p.head_width; ++c) score = fmaf(query[c], key[c], score);
  score *= p.summary.score_scale;
  if (slots.anchors != nullptr) {
    float square = 0.0F;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const float difference = p.places[3 * row + axis] - slots.anchors[3 * slot + axis];
      square = fmaf(difference, difference, square);
    }
    score = fmaf(slots.distance_factor, square, score);
  }
  return slots.bias == nullptr ? score : score + slots.bias[slot];
}

/// Adds some slots to the answer of a row, relative to the largest score so far. By one warp.
__device__ inline void attend_to_slots(const AnswerRows& p, const HeadSlots& slots,
                                       const AttendMemory& memory, const float* query, std::size_t row,
                                       unsigned at, float* out) {
  float* const weights = memory.weights + warp_index() * kWarp;
  const float score = score_of(p, slots, query, row), before = memory.largest[at];
  const float largest = fmaxf(before, warp_max(score));
  const float weight = score == minus_infinity() ? 0.0F : expf(score - largest);
  const float scale = before == minus_infinity() ? 0.0F : expf(before - largest);
  const float sum = warp_sum(weight);
  weights[lane_index()] = weight;
  __syncwarp();
  add_values(weights, slots.values, slots.count, p.value_width, scale, out);
  if (lane_index() == 0) {
    memory.largest[at] = largest;
    memory.sum[at] = fmaf(memory.sum[at], scale, sum);
  }
  __syncwarp();
}

__device__ inline HeadSlots slots_of_head(const AnswerRows& p, const AttendMemory& memory, unsigned head,
                                          std::size_t first) {
  const SummaryView& s = p.summary;
  HeadSlots slots;
  slots.first = first;
  slots.count = static_cast<unsigned>(s.slots - first < kStagedSlots ? s.slots - first : kStagedSlots);
  const float* const keys = s.keys + (s.own_keys ? std::size_t{head} * p.head_width : 0);
  slots.keys = stage(keys, s.key_stride, p.head_width, first, slots.count, memory.keys, p.head_width + 1);
  slots.values = stage(s.values + std::size_t{head} * p.value_width, std::size_t{p.heads} * p.value_width,
                       p.value_width, first, slots.count, memory.values, p.value_width);
  slots.bias = s.slot_bias == nullptr ? nullptr : s.slot_bias + head * s.slot_bias_step + first;
  slots.anchors = s.anchors == nullptr ? nullptr : s.anchors + 3 * first;
  slots.distance_factor = s.anchors == nullptr ? 0.0F : s.distance_factor[head];
  return slots;
}

/// Divides by the sum of the weights; a row that sees nothing is zero. By one warp.
__device__ inline void divide_by_sum(const AnswerRows& p, const AttendMemory& memory, unsigned at,
                                     float* out) {
  const float sum = memory.sum[at];
  for (unsigned c = lane_index(); c < p.value_width; c += kWarp) out[c] = sum == 0.0F ? 0.0F : out[c] / sum;
  if (lane_index() == 0 && sum == 0.0F && p.guarded != nullptr) atomicAdd(p.guarded, 1ULL);
}

/// heads = softmax(q · K + bias) V of every head. A row is one warp's from begin to end.
/// @param rows  [count] rows of x, which are also their ranks
__device__ inline void tile_attend(const AnswerRows& p, const TileRows& queries, const std::size_t* rows,
                                   const AttendMemory& memory, const TileRows& heads) {
  for (unsigned head = 0; head < p.heads; ++head) {
    for (unsigned at = warp_index(); at < queries.count; at += kTileWarps) {
      float* const out = heads.row(at) + std::size_t{head} * p.value_width;
      for (unsigned c = lane_index(); c < p.value_width; c += kWarp) out[c] = 0.0F;
      if (lane_index() != 0) continue;
      memory.largest[at] = minus_infinity();
      memory.sum[at] = 0.0F;
    }
    __syncwarp();
    for (std::size_t first = 0; first < p.summary.slots; first += kStagedSlots) {
      const HeadSlots slots = slots_of_head(p, memory, head, first);
      __syncthreads();
      for (unsigned at = warp_index(); at < queries.count; at += kTileWarps)
        attend_to_slots(p, slots, memory, queries.row(at) + std::size_t{head} * p.head_width, rows[at], at,
                        heads.row(at) + std::size_t{head} * p.value_width);
      __syncthreads();
    }
    for (unsigned at = warp_index(); at < queries.count; at += kTileWarps)
      divide_by_sum(p, memory, at, heads.row(at) + std::size_t{head} * p.value_width);
    __syncwarp();
  }
  __syncthreads();
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
