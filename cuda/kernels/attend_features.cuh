// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attend.cuh"
#include "kernels/features.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Returns what keeps φ(q) in the range of float, and cancels in the quotient: of elu the shift of all
/// exponents, else a power of two that q is divided by, inverted. By one warp.
__device__ inline float range_of(const FeatureMap& map, const float* query) {
  float most = minus_infinity(), size = 1.0F;
  for (unsigned c = lane_index(); c < map.width; c += kWarp) {
    most = fmaxf(most, query[c]);
    size = fmaxf(size, fabsf(query[c]));
  }
  most = warp_max(most);
  size = warp_max(size);
  return map.terms == nullptr ? fminf(most, 0.0F) : ldexpf(1.0F, -ilogbf(size));
}

/// Adds some features to the sums of a row. By one warp.
__device__ inline void add_features(const AnswerRows& p, const SlotRows& values, const float* mass,
                                    std::size_t first, unsigned count, const AttendMemory& memory,
                                    const float* query, unsigned at, float* out) {
  float* const weights = memory.weights + warp_index() * kWarp;
  const unsigned f = static_cast<unsigned>(first) + lane_index();
  const bool used = lane_index() < count;
  const float phi = used ? feature_of(p.summary.features, query, memory.largest[at], f) : 0.0F;
  const float denominator = warp_sum(used ? phi * mass[f] : 0.0F);
  weights[lane_index()] = phi;
  __syncwarp();
  add_values(weights, values, count, p.value_width, 1.0F, out);
  if (lane_index() == 0) memory.sum[at] += denominator;
  __syncwarp();
}

/// Divides by φ(q)ᵀz; zero where that counts as zero, which is counted. By one warp.
__device__ inline void divide_guarded(const AnswerRows& p, const AttendMemory& memory, const float* query,
                                      float least, unsigned at, float* out) {
  float square = 0.0F;
  for (unsigned c = lane_index(); c < p.head_width; c += kWarp) {
    const float scaled = p.summary.features.terms == nullptr ? query[c] : query[c] * memory.largest[at];
    square = fmaf(scaled, scaled, square);
  }
  square = warp_sum(square);
  const float denominator = memory.sum[at];
  const bool vanishes = !(denominator > (least == 0.0F ? 0.0F : least * square));
  for (unsigned c = lane_index(); c < p.value_width; c += kWarp)
    out[c] = vanishes ? 0.0F : out[c] / denominator;
  if (lane_index() == 0 && vanishes && p.guarded != nullptr) atomicAdd(p.guarded, 1ULL);
}

/// heads = φ(q)ᵀS / φ(q)ᵀz of every head.
__device__ inline void tile_attend_features(const AnswerRows& p, const TileRows& queries,
                                            const AttendMemory& memory, const TileRows& heads) {
  const SummaryView& s = p.summary;
  for (unsigned head = 0; head < p.heads; ++head) {
    const std::size_t query_at = std::size_t{head} * p.head_width, out_at = std::size_t{head} * p.value_width;
    for (unsigned at = warp_index(); at < queries.count; at += kTileWarps) {
      for (unsigned c = lane_index(); c < p.value_width; c += kWarp) heads.row(at)[out_at + c] = 0.0F;
      const float range = range_of(s.features, queries.row(at) + query_at);
      if (lane_index() != 0) continue;
      memory.largest[at] = range;
      memory.sum[at] = 0.0F;
    }
    __syncwarp();
    for (std::size_t first = 0; first < s.slots; first += kStagedSlots) {
      const unsigned count =
          static_cast<unsigned>(s.slots - first < kStagedSlots ? s.slots - first : kStagedSlots);
      const SlotRows values = stage(s.values + out_at, std::size_t{p.heads} * p.value_width, p.value_width,
                                    first, count, memory.values, p.value_width);
      __syncthreads();
      for (unsigned at = warp_index(); at < queries.count; at += kTileWarps)
        add_features(p, values, s.mass + head * s.slots, first, count, memory, queries.row(at) + query_at, at,
                     heads.row(at) + out_at);
      __syncthreads();
    }
    for (unsigned at = warp_index(); at < queries.count; at += kTileWarps)
      divide_guarded(p, memory, queries.row(at) + query_at, s.least[head], at, heads.row(at) + out_at);
    __syncwarp();
  }
  __syncthreads();
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
