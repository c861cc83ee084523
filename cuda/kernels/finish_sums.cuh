// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/compat.cuh"
#include "kernels/summary.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kFinishThreads = 256;

__device__ inline bool is_masked(const FinishSums& p, double mass) {
  return p.normalised && (!(mass > 0.0) || mass < p.least);
}

/// The thread of Σ e: what is added to scores.
__device__ inline void finish_slot(const FinishSums& p, std::size_t slot_of_batch, double mass) {
  const bool masked = is_masked(p, mass);
  if (masked && p.masked != nullptr) atomicAdd(p.masked, 1ULL);
  if (p.slot_bias == nullptr) return;
  float bias = masked ? minus_infinity() : 0.0F;
  if (!masked && p.largest != nullptr) bias = static_cast<float>(log(mass)) + p.largest[slot_of_batch];
  p.slot_bias[slot_of_batch] = bias;
}

__global__ void finish_sums_kernel(FinishSums p) {
  const std::size_t i = global_thread(), columns = p.channels + std::size_t{1}, slot_of_batch = i / columns;
  if (slot_of_batch >= std::size_t{p.batches} * p.slots) return;
  const std::size_t batch = slot_of_batch / p.slots, slot = slot_of_batch % p.slots, column = i % columns;
  const double mass = p.sums[slot_of_batch * columns + p.channels];
  if (column == p.channels) return finish_slot(p, slot_of_batch, mass);
  double value = p.sums[i];
  if (p.normalised)
    value = is_masked(p, mass) ? 0.0 : value / mass;
  else
    value *= p.scale;
  float row = static_cast<float>(value);
  if (p.bias != nullptr && p.bias[batch] != nullptr) row += p.bias[batch][slot];
  p.rows[batch * p.batch_step + slot * p.row_stride + column] = row;
}

void finish_sums(const FinishSums& finish, Stream stream) {
  const std::size_t count = std::size_t{finish.batches} * finish.slots * (finish.channels + std::size_t{1});
  if (count == 0) return;
  GPU_LAUNCH(finish_sums_kernel, num_blocks(count, kFinishThreads), kFinishThreads, 0, stream, finish);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
