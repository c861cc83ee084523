// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/runtime.h"

namespace pcl_attention::cuda {

/// Rows and their keys, in device memory.
struct SortRows {
  const std::uint64_t* keys = nullptr;  ///< [n]
  const std::uint32_t* rows = nullptr;  ///< [n]
  std::uint64_t* sorted_keys = nullptr;
  std::uint32_t* sorted_rows = nullptr;
  std::size_t n = 0;
  int first_bit = 0, end_bit = 64;  ///< of the keys; others are equal
};

/// Returns the bytes of scratch that sort_rows() takes for n rows on the current device.
std::size_t sort_scratch_bytes(std::size_t n);

/// Sorts by key, rows of equal keys stay in their sequence. @throws DeviceError
void sort_rows(const SortRows& rows, void* scratch, std::size_t scratch_bytes, StreamHandle stream);

}  // namespace pcl_attention::cuda
