// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <string>

#include "pcl_attention/error.h"

namespace pcl_attention::cuda {
namespace {

int current_device() noexcept {
  int device = -1;
  return ::cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

/// Returns nothing if the call succeeded. An error that does not stick is taken off the runtime.
void check(cudaError_t code, const std::string& call) {
  if (code == cudaSuccess) return;
  ::cudaGetLastError();
  throw DeviceError("cuda: " + call + " on device " + std::to_string(current_device()) + ": " +
                    ::cudaGetErrorName(code) + ", " + ::cudaGetErrorString(code));
}

std::string sized(const char* call, std::size_t bytes) {
  return std::string(call) + " of " + std::to_string(bytes) + " bytes";
}

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, StreamHandle stream,
          const char* call) {
  if (bytes != 0) check(::cudaMemcpyAsync(to, from, bytes, kind, stream), sized(call, bytes));
}

}  // namespace

DeviceScope::DeviceScope(int device) noexcept {
  const int before = current_device();
  if (before == device) return;
  before_ = before;
  ::cudaSetDevice(device);
}

DeviceScope::~DeviceScope() {
  if (before_ >= 0) ::cudaSetDevice(before_);
}

namespace runtime {

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = ::cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    ::cudaGetLastError();
    return nullptr;
  }
  check(code, sized("cudaMalloc", bytes));
  return memory;
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(::cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), sized("cudaHostAlloc", bytes));
  return memory;
}

// At the end of a process the driver may be gone; what it held is gone with it.
void release(void* memory) noexcept {
  if (memory != nullptr && ::cudaFree(memory) != cudaSuccess) ::cudaGetLastError();
}
void release_pinned(void* memory) noexcept {
  if (memory != nullptr && ::cudaFreeHost(memory) != cudaSuccess) ::cudaGetLastError();
}

StreamHandle make_stream() {
  StreamHandle stream = nullptr;
  check(::cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

void destroy_stream(StreamHandle stream) noexcept {
  if (stream != nullptr && ::cudaStreamDestroy(stream) != cudaSuccess) ::cudaGetLastError();
}

void copy_to_device(void* device, const void* host, std::size_t bytes, StreamHandle stream) {
  copy(device, host, bytes, cudaMemcpyHostToDevice, stream, "cudaMemcpyAsync to the device");
}
void copy_to_host(void* host, const void* device, std::size_t bytes, StreamHandle stream) {
  copy(host, device, bytes, cudaMemcpyDeviceToHost, stream, "cudaMemcpyAsync to the host");
}
void copy_on_device(void* to, const void* from, std::size_t bytes, StreamHandle stream) {
  copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream, "cudaMemcpyAsync on the device");
}
void fill(void* device, int byte, std::size_t bytes, StreamHandle stream) {
  if (bytes != 0) check(::cudaMemsetAsync(device, byte, bytes, stream), sized("cudaMemsetAsync", bytes));
}

void synchronise(StreamHandle stream) { check(::cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

bool is_reachable(const void* memory) {
  cudaPointerAttributes facts{};
  check(::cudaPointerGetAttributes(&facts, memory), "cudaPointerGetAttributes");
  return facts.devicePointer != nullptr &&
         (facts.type != cudaMemoryTypeDevice || facts.device == current_device());
}

std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  check(::cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

}  // namespace runtime
}  // namespace pcl_attention::cuda
