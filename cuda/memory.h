// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "cuda/runtime.h"

#if defined(PCL_ATTENTION_CUDA_EMULATION) && defined(__SANITIZE_ADDRESS__)
#define PCL_ATTENTION_CUDA_GUARDED
#include <sanitizer/asan_interface.h>
#endif

namespace pcl_attention::cuda {

/// Memory of the current device that grows and never shrinks; what was there is lost where it grows. It is
/// given back on its own device, whichever is current then.
class DeviceMemory {
 public:
  explicit DeviceMemory(int device) : device_(device) {}
  ~DeviceMemory() { release(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Returns room for `bytes`, or null if the device has not that much; then it holds nothing, so that less
  /// can be asked for. The stream must be idle where it grows.
  std::byte* reserve(std::size_t bytes);

  /// The same for what needs it. @param what  "a frame of 100 points"
  /// @throws DeviceError naming what, bytes, device, and what is free
  std::byte* require(std::size_t bytes, const std::string& what);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void release() noexcept;

  int device_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Pinned host memory that grows and never shrinks; what was there is lost where it grows.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory() { runtime::release_pinned(data_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  /// @throws DeviceError if the host has not that much.
  std::byte* reserve(std::size_t bytes);

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A stream of the current device.
class Stream {
 public:
  explicit Stream(int device) : device_(device), handle_(runtime::make_stream()) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  StreamHandle handle() const { return handle_; }

 private:
  int device_;
  StreamHandle handle_;
};

/// Hands out parts of one piece of memory, aligned for every type; a walk without memory counts. Emulated
/// under the address sanitizer, what lies between two parts is not to be touched.
class Parts {
 public:
  explicit Parts(std::byte* memory = nullptr) : memory_(memory) {}

  template <class T>
  T* take(std::size_t count) {
    const std::size_t at = used_, bytes = count * sizeof(T);
    used_ += (bytes + kGap + kAlignment - 1) / kAlignment * kAlignment;
    if (memory_ == nullptr) return nullptr;
    guard(memory_ + at, bytes, used_ - at);
    return reinterpret_cast<T*>(memory_ + at);
  }

  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kAlignment = 256;
#ifdef PCL_ATTENTION_CUDA_GUARDED
  static constexpr std::size_t kGap = 1;
  static void guard(std::byte* part, std::size_t bytes, std::size_t size) {
    ASAN_UNPOISON_MEMORY_REGION(part, bytes);
    ASAN_POISON_MEMORY_REGION(part + bytes, size - bytes);
  }
#else
  static constexpr std::size_t kGap = 0;
  static void guard(std::byte*, std::size_t, std::size_t) {}
#endif

  std::byte* memory_;
  std::size_t used_ = 0;
};

/// An array to be laid into pinned memory.
template <class T>
struct Staged {
  Staged(std::size_t count, Parts& parts) : numbers(parts.take<T>(count)) {}

  T* numbers;
};

/// Lays Content(size, parts) into pinned memory.
template <class Content>
Content lay_out_pinned(std::size_t size, PinnedMemory& memory) {
  Parts count;
  Content(size, count);
  Parts parts(memory.reserve(count.used()));
  return Content(size, parts);
}

}  // namespace pcl_attention::cuda
