// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

// What the sanitizers must be told of fibers; nothing without them. Files that include this are compiled
// without the thread sanitizer, which the build says by PCL_ATTENTION_TSAN: it would take their own state for
// shared.

#if defined(__SANITIZE_ADDRESS__)
#define PCL_ATTENTION_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PCL_ATTENTION_ASAN
#endif
#endif

#ifdef PCL_ATTENTION_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef PCL_ATTENTION_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace cuda_emulation {

inline void forbid_access([[maybe_unused]] const void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef PCL_ATTENTION_ASAN
  __asan_poison_memory_region(at, bytes);
#endif
}
inline void allow_access([[maybe_unused]] const void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef PCL_ATTENTION_ASAN
  __asan_unpoison_memory_region(at, bytes);
#endif
}

/// What was written before release(at) is known to those that acquire(at) later.
inline void release([[maybe_unused]] void* at) {
#ifdef PCL_ATTENTION_TSAN
  __tsan_release(at);
#endif
}
inline void acquire([[maybe_unused]] void* at) {
#ifdef PCL_ATTENTION_TSAN
  __tsan_acquire(at);
#endif
}

}  // namespace cuda_emulation
