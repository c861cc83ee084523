// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace pcl_attention {

/// Aligned numbers that grow and never shrink, so that frames of a size allocate once. Large ones ask for
/// huge pages. Content is zero after growing.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { std::free(data_); }
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  /// Returns room for at least `count` numbers. @throws std::bad_alloc
  T* reserve(std::size_t count) {
    if (count <= capacity_) return data_;
    const std::size_t alignment = count * sizeof(T) >= kHuge ? kHuge : kLine;
    const std::size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    if (alignment == kHuge) ::madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 0, bytes);
    std::free(data_);
    data_ = static_cast<T*>(memory);
    capacity_ = bytes / sizeof(T);
    return data_;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  static constexpr std::size_t kLine = 64, kHuge = std::size_t{1} << 21;

  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace pcl_attention
