// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/order.h"
#include "kernels/reduce_block.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr double kMomentRounding = 1e-12;  // of a mean: what equal numbers may seem to deviate by

/// Σ x, y, z, 1 of the kept rows; the same of squares around a mean; the largest squared distance from it.
enum class Moment : std::uint32_t { sum, squares, distance };

struct MomentNumbers {
  double x[4];
};

__device__ inline void add_moment(Moment moment, MomentNumbers& to, const MomentNumbers& other) {
  for (unsigned i = 0; i < 4; ++i)
    to.x[i] = moment == Moment::distance ? fmax(to.x[i], other.x[i]) : to.x[i] + other.x[i];
}

__device__ inline MomentNumbers of_row(Moment moment, const KeptRows& p, std::size_t i, const double* mean) {
  const float* const x = p.positions + (p.row == nullptr ? i : p.row[i]) * p.stride;
  MomentNumbers numbers{{0.0, 0.0, 0.0, 1.0}};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const double offset = static_cast<double>(x[axis]) - (moment == Moment::sum ? 0.0 : mean[axis]);
    numbers.x[axis] = moment == Moment::sum ? offset : offset * offset;
  }
  if (moment == Moment::distance) numbers.x[0] = numbers.x[0] + numbers.x[1] + numbers.x[2];
  return numbers;
}

/// Writes what the threads of the block found.
__device__ inline void reduce_moment(Moment moment, MomentNumbers* shared, const MomentNumbers& mine,
                                     double* out) {
  reduce_block(shared, mine,
               [moment](MomentNumbers& to, const MomentNumbers& other) { add_moment(moment, to, other); });
  if (threadIdx.x < 4) out[threadIdx.x] = shared[0].x[threadIdx.x];
}

__global__ void moment_kernel(KeptRows p, Moment moment, const double* mean) {
  GPU_SHARED(MomentNumbers, shared, [kReducedThreads]);
  MomentNumbers mine{};
  for (std::size_t i = global_thread(); i < p.n; i += std::size_t{gridDim.x} * kReducedThreads)
    if (p.keep == nullptr || p.keep[i] != 0) add_moment(moment, mine, of_row(moment, p, i, mean));
  reduce_moment(moment, shared, mine, p.scratch + std::size_t{blockIdx.x} * 4);
}

/// Sums become means of the rows; squares stay with their count.
__global__ void merge_moments_kernel(KeptRows p, Moment moment, unsigned blocks, double* out) {
  GPU_SHARED(MomentNumbers, shared, [kReducedThreads]);
  MomentNumbers mine{};
  for (unsigned i = 0; threadIdx.x < blocks && i < 4; ++i) mine.x[i] = p.scratch[threadIdx.x * 4 + i];
  reduce_moment(moment, shared, mine, out);
  if (moment == Moment::sum && threadIdx.x < 3) out[threadIdx.x] /= fmax(shared[0].x[3], 1.0);
}

/// Puts out [4] = the moment of all kept rows on the stream.
inline void find_moment(const KeptRows& rows, Moment moment, const double* mean, double* out, Stream stream) {
  static_assert(kMomentBlocks <= kReducedThreads);
  const unsigned blocks = num_reduced_blocks(rows.n, kMomentBlocks);
  GPU_LAUNCH(moment_kernel, blocks, kReducedThreads, 0, stream, rows, moment, mean);
  GPU_LAUNCH(merge_moments_kernel, 1, kReducedThreads, 0, stream, rows, moment, blocks, out);
}

__global__ void spread_kernel(const double* mean, const double* squares, float* box) {
  const unsigned axis = threadIdx.x;
  if (axis >= 3) return;
  double half = sqrt(3.0 * squares[axis] / fmax(squares[3], 1.0));
  if (half <= kMomentRounding * fabs(mean[axis])) half = 0.0;
  box[axis] = static_cast<float>(mean[axis] - half);
  box[3 + axis] = static_cast<float>(mean[axis] + half);
}

void spread_of_rows(const KeptRows& rows, float* box, Stream stream) {
  double* const mean = rows.scratch + 4 * kMomentBlocks;
  find_moment(rows, Moment::sum, nullptr, mean, stream);
  find_moment(rows, Moment::squares, mean, mean + 4, stream);
  GPU_LAUNCH(spread_kernel, 1, kWarp, 0, stream, mean, mean + 4, box);
}

__global__ void placement_kernel(const double* mean, const double* farthest, double* placement) {
  if (threadIdx.x < 3) placement[threadIdx.x] = mean[threadIdx.x];
  if (threadIdx.x == 3)
    placement[3] = farthest != nullptr && farthest[0] > 0.0 ? 1.0 / sqrt(farthest[0]) : 1.0;
}

void placement_of_rows(const KeptRows& rows, bool unit_sphere, double* placement, Stream stream) {
  double *const mean = rows.scratch + 4 * kMomentBlocks, *const farthest = unit_sphere ? mean + 4 : nullptr;
  find_moment(rows, Moment::sum, nullptr, mean, stream);
  if (unit_sphere) find_moment(rows, Moment::distance, mean, farthest, stream);
  GPU_LAUNCH(placement_kernel, 1, kWarp, 0, stream, mean, farthest, placement);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
