// SPDX-License-Identifier: BSD-3-Clause
#include "cuda_emulation/shared_memory.h"

#include <sys/mman.h>

#include <new>

#include "cuda_emulation/sanitizers.h"

namespace cuda_emulation {
namespace {

constexpr std::size_t kAlign = 128;                  // between arrays at least as much is forbidden
constexpr std::size_t kRoom = std::size_t{1} << 18;  // bytes with what lies between

/// Written so that no sanitizer sees it as a thread's access.
__attribute__((noinline)) void fill_with_nan(void* at, std::size_t bytes) {
  auto* byte = static_cast<volatile unsigned char*>(at);
  for (std::size_t i = 0; i < bytes; ++i) byte[i] = 0xFF;
}

}  // namespace

SharedMemory::SharedMemory() {
  void* memory = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<unsigned char*>(memory);
  forbid_access(memory_, kRoom);
}

SharedMemory::~SharedMemory() {
  allow_access(memory_, kRoom);
  munmap(memory_, kRoom);
}

void SharedMemory::clear() {
#ifdef PCL_ATTENTION_TSAN  // the sanitizer forgets the accesses of the block before
  mmap(memory_, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#endif
  forbid_access(memory_, kRoom);
  arrays_.clear();
  used_ = asked_ = 0;
}

void* SharedMemory::find(const void* key, std::size_t bytes) {
  for (const Array& array : arrays_)
    if (array.key == key) return array.data;
  const std::size_t size = (bytes / kAlign + 1) * kAlign;
  if (asked_ + bytes > kMost || used_ + size > kRoom) return nullptr;
  unsigned char* data = memory_ + used_;
  used_ += size;
  asked_ += bytes;
  allow_access(data, bytes);
  fill_with_nan(data, bytes);
  arrays_.push_back({key, data});
  return data;
}

}  // namespace cuda_emulation
