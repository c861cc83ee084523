// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/curve_keys.cuh"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr unsigned kTieThreads = 256;

/// Returns the first place whose key is not below (`above`: is above) key.
__device__ inline std::size_t bound(const SortedKeys& sorted, std::uint64_t key, bool above) {
  std::size_t low = 0, high = sorted.n;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (above ? sorted.keys[middle] <= key : sorted.keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__device__ inline bool starts_run(const SortedKeys& sorted, std::size_t i) {
  return i == 0 || sorted.keys[i - 1] != sorted.keys[i];
}
__device__ inline bool ends_run(const SortedKeys& sorted, std::size_t i) {
  return i + 1 == sorted.n || sorted.keys[i + 1] != sorted.keys[i];
}

__global__ void find_ties_kernel(SortedKeys sorted, TieCounts* counts) {
  const std::size_t i = global_thread();
  if (i >= sorted.n || !starts_run(sorted, i)) return;
  const bool kept = (sorted.keys[i] & kNotKept) == 0;
  if (i == 0) atomicMax(&counts->longest, 1ULL);
  if (i == 0 && kept) atomicMax(&counts->longest_kept, 1ULL);  // kept rows come first
  if (ends_run(sorted, i)) return;
  const unsigned long long length = bound(sorted, sorted.keys[i], true) - i;
  atomicMax(&counts->longest, length);
  if (!kept) return;
  atomicAdd(&counts->ties, length - 1);
  atomicMax(&counts->longest_kept, length);
}

void find_ties(const SortedKeys& sorted, TieCounts* counts, Stream stream) {
  if (sorted.n == 0) return;
  GPU_LAUNCH(find_ties_kernel, num_blocks(sorted.n, kTieThreads), kTieThreads, 0, stream, sorted, counts);
}

/// Returns −1, 0, 1 for the first numbers that differ.
__device__ inline int compare(const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/// Returns true if row a comes before row b: by position, values, row.
__device__ inline bool comes_before(const MergeTies& p, std::uint32_t a, std::uint32_t b) {
  int order = compare(p.positions + a * p.stride, p.positions + b * p.stride, 3);
  if (order == 0 && p.values != nullptr)
    order = compare(p.values + std::size_t{a} * p.num_channels, p.values + std::size_t{b} * p.num_channels,
                    p.num_channels);
  return order != 0 ? order < 0 : a < b;
}

/// Returns how many of the sorted rows from[begin … end) come before a row.
__device__ inline std::size_t num_before(const MergeTies& p, std::size_t begin, std::size_t end,
                                         std::uint32_t row) {
  std::size_t low = begin;
  while (low < end) {
    const std::size_t middle = low + (end - low) / 2;
    if (comes_before(p, p.from[middle], row))
      low = middle + 1;
    else
      end = middle;
  }
  return low - begin;
}

/// A thread per row: its place is that in its own piece and the rows before it in the piece beside.
__global__ void merge_ties_kernel(MergeTies p) {
  const std::size_t i = global_thread();
  if (i >= p.sorted.n) return;
  const std::uint32_t row = p.from[i];
  if (starts_run(p.sorted, i) && ends_run(p.sorted, i)) {
    p.to[i] = row;
    return;
  }
  const std::size_t begin = bound(p.sorted, p.sorted.keys[i], false),
                    end = bound(p.sorted, p.sorted.keys[i], true);
  const std::size_t piece = (i - begin) / p.width, mine = begin + piece * p.width;
  const std::size_t pair = begin + piece / 2 * 2 * p.width;
  const std::size_t other = piece % 2 == 0 ? mine + p.width : pair;
  const std::size_t other_begin = other < end ? other : end;
  const std::size_t other_end = other_begin + p.width < end ? other_begin + p.width : end;
  p.to[pair + (i - mine) + num_before(p, other_begin, other_end, row)] = row;
}

void merge_ties(const MergeTies& ties, Stream stream) {
  if (ties.sorted.n == 0) return;
  GPU_LAUNCH(merge_ties_kernel, num_blocks(ties.sorted.n, kTieThreads), kTieThreads, 0, stream, ties);
}

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
