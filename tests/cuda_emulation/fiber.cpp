// SPDX-License-Identifier: BSD-3-Clause
#include "cuda_emulation/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#include "cuda_emulation/sanitizers.h"

namespace cuda_emulation {
namespace {

constexpr std::size_t kStack = std::size_t{256} << 10, kGuard = 4096;

}  // namespace

Fiber::Fiber() {
  void* memory = mmap(nullptr, kStack + kGuard, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, kGuard, PROT_NONE);
  stack_ = static_cast<char*>(memory) + kGuard;
#ifdef PCL_ATTENTION_TSAN
  race_inside_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef PCL_ATTENTION_TSAN
  __tsan_destroy_fiber(race_inside_);
#endif
  munmap(stack_ - kGuard, kStack + kGuard);
}

void Fiber::restart(void (*entry)()) {
  allow_access(stack_, kStack);
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_;
  inside_.uc_stack.ss_size = kStack;
  inside_.uc_link = nullptr;
  makecontext(&inside_, entry, 0);
}

__attribute__((no_sanitize("address"), noinline)) void Fiber::resume() {
#ifdef PCL_ATTENTION_TSAN
  race_outside_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(race_inside_, __tsan_switch_to_fiber_no_sync);
#endif
#ifdef PCL_ATTENTION_ASAN
  __sanitizer_start_switch_fiber(&fake_outside_, stack_, kStack);
#endif
  swapcontext(&outside_, &inside_);
#ifdef PCL_ATTENTION_ASAN
  __sanitizer_finish_switch_fiber(fake_outside_, nullptr, nullptr);
#endif
}

__attribute__((no_sanitize("address"), noinline)) void Fiber::arrived() {
#ifdef PCL_ATTENTION_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &outer_stack_, &outer_size_);
#endif
}

__attribute__((no_sanitize("address"), noinline)) void Fiber::switch_back([[maybe_unused]] bool for_good) {
#ifdef PCL_ATTENTION_TSAN
  __tsan_switch_to_fiber(race_outside_, __tsan_switch_to_fiber_no_sync);
#endif
#ifdef PCL_ATTENTION_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_inside_, outer_stack_, outer_size_);
#endif
  swapcontext(&inside_, &outside_);
#ifdef PCL_ATTENTION_ASAN
  __sanitizer_finish_switch_fiber(fake_inside_, &outer_stack_, &outer_size_);
#endif
}

}  // namespace cuda_emulation
