// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/memory.h"

#include "pcl_attention/error.h"

namespace pcl_attention::cuda {

std::byte* DeviceMemory::reserve(std::size_t bytes) {
  if (bytes <= size_) return data_;
  release();
  data_ = static_cast<std::byte*>(runtime::allocate(bytes));
  if (data_ != nullptr) size_ = bytes;
  return data_;
}

std::byte* DeviceMemory::require(std::size_t bytes, const std::string& what) {
  if (reserve(bytes) != nullptr) return data_;
  throw DeviceError("cuda: " + what + " takes about " + std::to_string(bytes) + " bytes on device " +
                    std::to_string(device_) + ", which has " + std::to_string(runtime::free_memory()) +
                    " free; give it fewer points, or use the device cpu");
}

void DeviceMemory::release() noexcept {
  const DeviceScope scope(device_);
  runtime::release(std::exchange(data_, nullptr));
  size_ = 0;
}

std::byte* PinnedMemory::reserve(std::size_t bytes) {
  if (bytes <= size_) return data_;
  runtime::release_pinned(std::exchange(data_, nullptr));
  size_ = 0;
  data_ = static_cast<std::byte*>(runtime::allocate_pinned(bytes));
  size_ = bytes;
  return data_;
}

Stream::~Stream() {
  const DeviceScope scope(device_);
  runtime::destroy_stream(handle_);
}

}  // namespace pcl_attention::cuda
