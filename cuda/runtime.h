// SPDX-License-Identifier: BSD-3-Clause
// The calls of the CUDA runtime that the engine makes. runtime.cpp has them for a device; tests have them in
// host memory. Each throws DeviceError naming the call, its size and the device, unless it says noexcept.
#pragma once

#include <cstddef>

struct CUstream_st;

namespace pcl_attention::cuda {

using StreamHandle = CUstream_st*;

/// Makes a device the calling thread's own while it lives, then brings back the one before.
class DeviceScope {
 public:
  explicit DeviceScope(int device) noexcept;
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = -1;
};

namespace runtime {

/// Returns memory on the current device, or null if it has not that much.
void* allocate(std::size_t bytes);
/// Returns host memory that copies to and from a device run at full speed from.
void* allocate_pinned(std::size_t bytes);
// Both take null, and are safe when the process ends and the driver is gone.
void release(void* memory) noexcept;
void release_pinned(void* memory) noexcept;

StreamHandle make_stream();
void destroy_stream(StreamHandle stream) noexcept;

// In the sequence of the stream; the host memory is pinned and stays until synchronise().
void copy_to_device(void* device, const void* host, std::size_t bytes, StreamHandle stream);
void copy_to_host(void* host, const void* device, std::size_t bytes, StreamHandle stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, StreamHandle stream);
void fill(void* device, int byte, std::size_t bytes, StreamHandle stream);

/// Waits until the stream has done all. Faults of kernels appear here.
void synchronise(StreamHandle stream);

/// Returns true if kernels on the current device can read and write the memory.
bool is_reachable(const void* memory);

/// Returns the bytes that are free on the current device.
std::size_t free_memory();

}  // namespace runtime
}  // namespace pcl_attention::cuda
