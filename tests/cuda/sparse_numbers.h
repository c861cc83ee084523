// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace pcl_attention::test {

/// Zeros of which only those that are written take memory, for offsets above 2^32 bytes.
class SparseNumbers {
 public:
  explicit SparseNumbers(std::size_t count) : bytes_(count * sizeof(float)) {
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<float*>(memory);
  }
  ~SparseNumbers() { munmap(data_, bytes_); }
  SparseNumbers(const SparseNumbers&) = delete;
  SparseNumbers& operator=(const SparseNumbers&) = delete;

  float* data() { return data_; }
  float& operator[](std::size_t i) { return data_[i]; }

 private:
  std::size_t bytes_;
  float* data_ = nullptr;
};

}  // namespace pcl_attention::test
