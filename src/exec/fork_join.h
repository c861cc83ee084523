// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__SANITIZE_THREAD__)
#define PCL_ATTENTION_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PCL_ATTENTION_THREAD_SANITIZER
#endif
#endif

#ifdef PCL_ATTENTION_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace pcl_attention {

/// Tells ThreadSanitizer what oneTBB promises, since it cannot see into the distribution's library:
/// what happens before a fork is seen by every branch, what the branches do is seen after the join.
/// Branches stay unordered among each other, so races between them are found. Empty in other builds.
class ForkJoin {
 public:
  ForkJoin() { release(&fork_); }
  ~ForkJoin() { acquire(&join_); }
  ForkJoin(const ForkJoin&) = delete;
  ForkJoin& operator=(const ForkJoin&) = delete;

  /// Lives as long as the work of one branch.
  class Branch {
   public:
    explicit Branch(ForkJoin& region) : region_(region) { acquire(&region_.fork_); }
    ~Branch() { release(&region_.join_); }
    Branch(const Branch&) = delete;
    Branch& operator=(const Branch&) = delete;

   private:
    ForkJoin& region_;
  };

 private:
#ifdef PCL_ATTENTION_THREAD_SANITIZER
  static void acquire(char* tag) { __tsan_acquire(tag); }
  static void release(char* tag) { __tsan_release(tag); }
#else
  static void acquire(char*) {}
  static void release(char*) {}
#endif

  char fork_ = 0, join_ = 0;
};

}  // namespace pcl_attention
