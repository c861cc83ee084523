// SPDX-License-Identifier: BSD-3-Clause
// cuda/runtime.h and cuda/devices.h in host memory. Fresh memory is NaN, and each piece is exactly as large
// as asked, so that the address sanitizer sees what leaves it.
#include "cuda/engine/emulated_device.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "cuda/devices.h"
#include "cuda/runtime.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

std::recursive_mutex mutex;  // of all that is counted and held
using Lock = std::lock_guard<std::recursive_mutex>;
thread_local int current = 0;

struct Memory {
  std::size_t bytes = 0;
  bool pinned = false;
};
std::map<void*, Memory>& pieces() {
  static auto* const all = new std::map<void*, Memory>;  // outlives static owners
  return *all;
}

/// Counts a call; throws where it is to fail.
void called(const char* name, std::size_t bytes = 0) {
  const Lock lock(mutex);
  test::EmulatedDevice& device = test::emulated_device();
  ++device.calls;
  if (device.calls_until_fault == 0 || --device.calls_until_fault != 0) return;
  throw DeviceError("cuda: " + std::string(name) + " of " + std::to_string(bytes) + " bytes on device " +
                    std::to_string(current) + ": emulated fault");
}

void* take(std::size_t bytes, bool pinned) {
  constexpr std::size_t kAlignment = 256;
  void* memory = nullptr;
  if (::posix_memalign(&memory, kAlignment, bytes) != 0) return nullptr;
  std::memset(memory, 0xFF, bytes);
  pieces()[memory] = {bytes, pinned};
  ++test::emulated_device().allocations;
  ++test::emulated_device().live;
  return memory;
}

/// Copies what lies between the parts of a piece, too, which the address sanitizer would not have touched.
__attribute__((no_sanitize("address"))) void copy(void* to, const void* from, std::size_t bytes) {
  called("cudaMemcpyAsync", bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
}

void give_back(void* memory, bool pinned) noexcept {
  const Lock lock(mutex);
  const auto found = pieces().find(memory);
  if (memory == nullptr || test::emulated_device().gone) return;
  if (found == pieces().end() || found->second.pinned != pinned) std::abort();  // not ours, or twice
  if (!pinned) test::emulated_device().free_bytes += found->second.bytes;
  pieces().erase(found);
  --test::emulated_device().live;
  std::free(memory);
}

}  // namespace

test::EmulatedDevice& test::emulated_device() {
  static EmulatedDevice device;
  return device;
}

namespace cuda {

DeviceList list_devices() { return {{{"emulated", 9, 0, std::size_t{1} << 40, 1}}, {}}; }
std::string device_fault(int) { return test::emulated_device().fault; }
std::string built_architectures() { return "emulated"; }

DeviceScope::DeviceScope(int device) noexcept : before_(current) { current = device; }
DeviceScope::~DeviceScope() { current = before_; }

namespace runtime {

void* allocate(std::size_t bytes) {
  const Lock lock(mutex);
  called("cudaMalloc", bytes);
  if (bytes > test::emulated_device().free_bytes) return nullptr;
  test::emulated_device().free_bytes -= bytes;
  return take(bytes, false);
}

void* allocate_pinned(std::size_t bytes) {
  const Lock lock(mutex);
  called("cudaHostAlloc", bytes);
  return take(bytes, true);
}

void release(void* memory) noexcept { give_back(memory, false); }
void release_pinned(void* memory) noexcept { give_back(memory, true); }

StreamHandle make_stream() {
  const Lock lock(mutex);
  called("cudaStreamCreate");
  return static_cast<StreamHandle>(take(1, true));
}
void destroy_stream(StreamHandle stream) noexcept { give_back(stream, true); }

void copy_to_device(void* device, const void* host, std::size_t bytes, StreamHandle) {
  copy(device, host, bytes);
}
void copy_to_host(void* host, const void* device, std::size_t bytes, StreamHandle) {
  copy(host, device, bytes);
}
void copy_on_device(void* to, const void* from, std::size_t bytes, StreamHandle) { copy(to, from, bytes); }
void fill(void* device, int byte, std::size_t bytes, StreamHandle) {
  called("cudaMemsetAsync", bytes);
  if (bytes != 0) std::memset(device, byte, bytes);
}

void synchronise(StreamHandle) {
  const Lock lock(mutex);
  called("cudaStreamSynchronize");
  ++test::emulated_device().synchronisations;
}

bool is_reachable(const void* memory) {
  const Lock lock(mutex);
  auto above = pieces().upper_bound(const_cast<void*>(memory));
  if (above == pieces().begin()) return false;
  --above;
  return static_cast<const char*>(memory) < static_cast<const char*>(above->first) + above->second.bytes;
}

std::size_t free_memory() {
  const Lock lock(mutex);
  return test::emulated_device().free_bytes;
}

}  // namespace runtime
}  // namespace cuda
}  // namespace pcl_attention
