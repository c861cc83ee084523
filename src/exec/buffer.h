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

  /// Returns the bytes that reserve(count) takes.
  static constexpr std::size_t size(std::size_t count) {
    return (count * sizeof(T) + kLine - 1) / kLine * kLine;
  }

  /// Returns room for at least `count` numbers; what was there is lost where it grows.
  /// @throws std::bad_alloc
  T* reserve(std::size_t count) {
    if (count <= capacity_) return data_;
    std::free(std::exchange(data_, nullptr));
    capacity_ = 0;
    const std::size_t bytes = size(count);
    void* memory = nullptr;
    if (::posix_memalign(&memory, bytes < kHuge ? kLine : kHuge, bytes) != 0) throw std::bad_alloc();
    if (bytes >= kHuge) ::madvise(memory, bytes / kHuge * kHuge, MADV_HUGEPAGE);
    std::memset(memory, 0, bytes);
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
