// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/sort.h"

#include <cub/device/device_radix_sort.cuh>
#include <string>

#include "pcl_attention/error.h"

namespace pcl_attention::cuda {
namespace {

void check(cudaError_t code, std::size_t n) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError("cuda: sort of " + std::to_string(n) + " rows: " + cudaGetErrorName(code) + ", " +
                    cudaGetErrorString(code));
}

}  // namespace

std::size_t sort_scratch_bytes(std::size_t n) {
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs<std::uint64_t, std::uint32_t>(nullptr, bytes, nullptr, nullptr,
                                                                      nullptr, nullptr, n),
        n);
  return bytes;
}

void sort_rows(const SortMemory& memory, std::size_t n, KeyBits bits, StreamHandle stream) {
  std::size_t bytes = memory.scratch_bytes;
  const std::uint64_t* const keys = memory.keys;
  const std::uint32_t* const rows = memory.rows;
  check(cub::DeviceRadixSort::SortPairs(memory.scratch, bytes, keys, memory.sorted_keys, rows,
                                        memory.sorted_rows, n, bits.first, bits.end, stream),
        n);
}

}  // namespace pcl_attention::cuda
