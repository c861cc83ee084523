// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace cuda_emulation {

/// The shared memory of one block: arrays of exactly the size asked for, filled with NaN.
class SharedMemory {
 public:
  static constexpr std::size_t kMost = 48 * 1024;  ///< bytes of a block on every device

  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Forgets all arrays.
  void clear();

  /// Returns the array of `key`, made at the first call; null if the block has no room for it.
  void* find(const void* key, std::size_t bytes);

 private:
  struct Array {
    const void* key;
    unsigned char* data;
  };

  unsigned char* memory_ = nullptr;
  std::size_t used_ = 0, asked_ = 0;
  std::vector<Array> arrays_;
};

}  // namespace cuda_emulation
