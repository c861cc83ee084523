// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/sum_points.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kPositionRows = 8;  // of a block of position_range_kernel, a warp each

/// Returns Σ_axis factor · (p − a_j)² + (W h + b)_j of row i.
__device__ inline float position_score(const PositionWeights& w, std::size_t row, unsigned slot,
                                       unsigned slots) {
  float score = 0.0F;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const float difference = w.places[3 * row + axis] - w.anchors[3 * std::size_t{slot} + axis];
    score = fmaf(w.factor[axis] * difference, difference, score);
  }
  if (w.mlp.weight == nullptr) return score;
  float learned = 0.0F;
  for (unsigned c = 0; c < w.mlp.in; ++c)
    learned = fmaf(w.hidden[row * w.mlp.in + c], w.mlp.weight[std::size_t{c} * slots + slot], learned);
  return score + learned + (w.mlp.bias == nullptr ? 0.0F : w.mlp.bias[slot]);
}

/// Finds the largest score of each row and the inverse of Σ e^(score − largest).
__global__ void position_range_kernel(PositionWeights w, std::size_t rows, unsigned slots) {
  const std::size_t row = std::size_t{blockIdx.x} * kPositionRows + threadIdx.x / kWarp;
  if (row >= rows) return;
  const unsigned lane = threadIdx.x % kWarp;
  float largest = minus_infinity(), sum = 0.0F;
  for (unsigned slot = lane; slot < slots; slot += kWarp)
    largest = fmaxf(largest, position_score(w, row, slot, slots));
  largest = warp_max(largest);
  for (unsigned slot = lane; slot < slots; slot += kWarp)
    sum += expf(position_score(w, row, slot, slots) - largest);
  sum = warp_sum(sum);
  if (lane != 0) return;
  w.largest[row] = largest;
  w.inverse_sum[row] = 1.0F / sum;
}

struct PositionEntries {
  struct Point {
    std::size_t row;
    float largest, inverse_sum;
  };
  PositionWeights weights;

  __device__ Point point(const PointSums&, unsigned, std::size_t row) const {
    return {row, weights.largest[row], weights.inverse_sum[row]};
  }
  __device__ float entry(const PointSums& p, unsigned, const Point& point, unsigned slot) const {
    return expf(position_score(weights, point.row, slot, p.slots) - point.largest) * point.inverse_sum;
  }
};

void sum_positions(const PointSums& sums, const PositionWeights& weights, Stream stream) {
  if (sums.surface.n == 0 || sums.slots == 0) return;
  GPU_LAUNCH(position_range_kernel, num_blocks(sums.surface.n, kPositionRows), kPositionRows * kWarp, 0,
             stream, weights, sums.surface.n, sums.slots);
  sum_points(sums, PositionEntries{weights}, stream);
}

constexpr unsigned kAnchorThreads = 128;

__global__ void place_anchors_kernel(GridAnchors p) {
  const std::size_t i = global_thread(), num_anchors = std::size_t{p.count[0]} * p.count[1] * p.count[2];
  if (i >= 3 * num_anchors) return;
  const unsigned axis = static_cast<unsigned>(i % 3);
  const std::size_t stride = axis == 0 ? std::size_t{p.count[1]} * p.count[2] : axis == 1 ? p.count[2] : 1;
  const double low = static_cast<double>(p.box[axis]), high = static_cast<double>(p.box[3 + axis]);
  const double edge = (high - low) / static_cast<double>(p.count[axis]);
  const std::size_t cell = i / 3 / stride % p.count[axis];
  p.anchors[i] = static_cast<float>(low + (static_cast<double>(cell) + 0.5) * edge);
  if (i >= 3) return;
  const double sigma = p.sigma * edge;
  p.factor[axis] = edge > 0.0 ? static_cast<float>(-0.5 / (sigma * sigma)) : 0.0F;
}

void place_anchors(const GridAnchors& grid, Stream stream) {
  const std::size_t count = 3 * std::size_t{grid.count[0]} * grid.count[1] * grid.count[2];
  if (count == 0) return;
  GPU_LAUNCH(place_anchors_kernel, num_blocks(count, kAnchorThreads), kAnchorThreads, 0, stream, grid);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
