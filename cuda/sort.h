// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/description.h"
#include "cuda/memory.h"
#include "cuda/runtime.h"

namespace pcl_attention::cuda {

/// Rows and their keys, in device memory, and room to sort them.
struct SortMemory {
  std::uint64_t *keys = nullptr, *sorted_keys = nullptr;  ///< [n] each
  std::uint32_t *rows = nullptr, *sorted_rows = nullptr;
  std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;
};

/// @param scratch_bytes  of sort_scratch_bytes()
inline SortMemory lay_out_sort(std::size_t n, std::size_t scratch_bytes, Parts& parts) {
  SortMemory memory;
  memory.keys = parts.take<std::uint64_t>(n);
  memory.sorted_keys = parts.take<std::uint64_t>(n);
  memory.rows = parts.take<std::uint32_t>(n);
  memory.sorted_rows = parts.take<std::uint32_t>(n);
  memory.scratch = parts.take<std::byte>(scratch_bytes);
  memory.scratch_bytes = scratch_bytes;
  return memory;
}

/// Returns the bytes of scratch that sort_rows() takes for n > 0 rows on the current device.
std::size_t sort_scratch_bytes(std::size_t n);

/// Sorts by those bits of the key, rows of equal keys stay in their sequence. @throws DeviceError
void sort_rows(const SortMemory& memory, std::size_t n, KeyBits bits, StreamHandle stream);

}  // namespace pcl_attention::cuda
