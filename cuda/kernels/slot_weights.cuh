// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/sum_points.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kLargestGroups = kSumThreads / kSumTile;  // of threads that share the rows of a slot

/// e^(score − largest) of learned queries, of which each batch is a head.
struct SlotEntries {
  struct Point {
    const float* key;
    float place[3];
    float offset;
  };
  SlotWeights weights;

  __device__ Point point(const PointSums&, unsigned batch, std::size_t row) const {
    Point point;
    point.key = weights.keys + row * weights.key_stride + std::size_t{batch} * weights.head_width;
    for (unsigned axis = 0; axis < 3; ++axis)
      point.place[axis] = weights.anchors == nullptr ? 0.0F : weights.places[3 * row + axis];
    float square = 0.0F;
    if (weights.square_scale != 0.0F)
      for (unsigned c = 0; c < weights.head_width; ++c) square = fmaf(point.key[c], point.key[c], square);
    point.offset = weights.square_scale * square;
    return point;
  }
  __device__ float score(const PointSums& p, unsigned batch, const Point& point, unsigned slot) const {
    const std::size_t size = std::size_t{weights.head_width} * p.slots;
    const float* const query = weights.queries + (weights.own_queries ? batch * size : 0) + slot;
    float product = 0.0F;
    for (unsigned c = 0; c < weights.head_width; ++c)
      product = fmaf(query[std::size_t{c} * p.slots], point.key[c], product);
    return fmaf(weights.score_scale, product, point.offset) + distance(batch, point, slot);
  }
  __device__ float distance(unsigned batch, const Point& point, unsigned slot) const {
    if (weights.anchors == nullptr) return 0.0F;
    float square = 0.0F;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const float difference = point.place[axis] - weights.anchors[3 * std::size_t{slot} + axis];
      square = fmaf(difference, difference, square);
    }
    return weights.distance_factor[batch] * square;
  }
  __device__ float entry(const PointSums& p, unsigned batch, const Point& point, unsigned slot) const {
    const float largest = weights.largest[std::size_t{batch} * p.slots + slot];
    return expf(score(p, batch, point, slot) - largest);
  }
};

/// Finds the largest score of each slot in a chunk. Blocks go by chunk, batch and 64 slots.
__global__ void largest_of_chunk_kernel(PointSums p, SlotEntries entries, std::size_t rows_of_chunk,
                                        std::size_t total) {
  GPU_SHARED(float, largest, [kLargestGroups][kSumTile]);
  const unsigned slot_tiles = (p.slots + kSumTile - 1) / kSumTile;
  const unsigned slot = blockIdx.x % slot_tiles * kSumTile + threadIdx.x % kSumTile;
  const unsigned group = threadIdx.x / kSumTile, batch = blockIdx.x / slot_tiles % p.batches;
  const std::size_t chunk = blockIdx.x / slot_tiles / p.batches, first = chunk * rows_of_chunk;
  const std::size_t end = first + rows_of_chunk < total ? first + rows_of_chunk : total;
  float most = minus_infinity();
  if (slot < p.slots)
    for (std::size_t row = first + group; row < end; row += kLargestGroups)
      if (takes_part(p.surface, row))
        most = fmaxf(most, entries.score(p, batch, entries.point(p, batch, row), slot));
  largest[group][threadIdx.x % kSumTile] = most;
  __syncthreads();
  if (group != 0 || slot >= p.slots) return;
  for (unsigned other = 1; other < kLargestGroups; ++other)
    most = fmaxf(most, largest[other][threadIdx.x % kSumTile]);
  entries.weights.chunk_largest[(chunk * p.batches + batch) * p.slots + slot] = most;
}

__global__ void largest_of_chunks_kernel(SlotWeights weights, std::size_t chunks, std::size_t count) {
  const std::size_t i = global_thread();
  if (i >= count) return;
  float most = minus_infinity();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    most = fmaxf(most, weights.chunk_largest[chunk * count + i]);
  weights.largest[i] = most;
}

void sum_slots_again(const PointSums& sums, const SlotWeights& weights, Stream stream) {
  sum_points(sums, SlotEntries{weights}, stream);
}

void sum_slots(const PointSums& sums, const SlotWeights& weights, Stream stream) {
  const std::size_t total = sums.surface.total(), count = std::size_t{sums.batches} * sums.slots;
  if (count == 0) return;
  if (total != 0) {
    const std::size_t tiles = (sums.slots + kSumTile - 1) / kSumTile;
    GPU_LAUNCH(largest_of_chunk_kernel, num_blocks(num_chunks(total) * sums.batches * tiles, 1), kSumThreads,
               0, stream, sums, SlotEntries{weights}, chunk_rows(total), total);
  }
  GPU_LAUNCH(largest_of_chunks_kernel, num_blocks(count, kSumThreads), kSumThreads, 0, stream, weights,
             num_chunks(total), count);
  sum_slots_again(sums, weights, stream);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
