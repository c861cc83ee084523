// SPDX-License-Identifier: BSD-3-Clause
#include "support/heap_use.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kPage = 4096;
std::atomic<std::size_t> calls{0}, live{0}, peak{0};

// An aligned block may have far more room than was asked for, which is never touched.
struct AlignedBlock {
  std::atomic<void*> memory{nullptr};
  std::size_t unused = 0;
};
AlignedBlock aligned_blocks[256];

void note_unused(void* memory, std::size_t size) {
  for (AlignedBlock& block : aligned_blocks) {
    void* none = nullptr;
    if (block.memory != nullptr || !block.memory.compare_exchange_strong(none, memory)) continue;
    block.unused = ::malloc_usable_size(memory) - size;
    return;
  }
}

std::size_t size_of(void* memory) {
  std::size_t unused = 0;
  for (const AlignedBlock& block : aligned_blocks)
    if (block.memory == memory) unused = block.unused;
  return ::malloc_usable_size(memory) - unused;
}

void* taken(void* memory) {
  if (memory == nullptr) return nullptr;
  ++calls;
  const std::size_t now = live += size_of(memory);
  for (std::size_t most = peak; most < now && !peak.compare_exchange_weak(most, now);) continue;
  return memory;
}

void* give_back(void* memory) {
  if (memory == nullptr) return nullptr;
  live -= size_of(memory);
  for (AlignedBlock& block : aligned_blocks)
    if (block.memory == memory) block.memory = nullptr;
  return memory;
}

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace pcl_attention::test {

HeapUse heap_use() { return {calls, live, peak}; }
void start_peak() { peak = live.load(); }

}  // namespace pcl_attention::test

// The linker's option --wrap=malloc calls __wrap_malloc for malloc, and malloc for __real_malloc.
extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
int __real_posix_memalign(void**, std::size_t, std::size_t);
void __real_free(void*);

void* __wrap_malloc(std::size_t size) { return taken(__real_malloc(size)); }
void* __wrap_calloc(std::size_t count, std::size_t size) { return taken(__real_calloc(count, size)); }
void* __wrap_realloc(void* memory, std::size_t size) {
  return taken(__real_realloc(give_back(memory), size));
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  return taken(__real_aligned_alloc(alignment, size));
}
int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  const int error = __real_posix_memalign(memory, alignment, size);
  if (error != 0) return error;
  if (alignment >= kPage) note_unused(*memory, size);
  taken(*memory);
  return 0;
}
void __wrap_free(void* memory) { __real_free(give_back(memory)); }
}

void* operator new(std::size_t size) { return checked(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto bytes = static_cast<std::size_t>(alignment);
  return checked(std::aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
