// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace cuda_emulation {

/// A stack of its own that is run in pieces. Runs on the thread that resumes it.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes the fiber begin with entry(), which ends by leave().
  void restart(void (*entry)());

  /// Runs the fiber until it pauses or leaves.
  void resume();

  /// Called on the fiber: back to resume(). leave() is never resumed, only restarted.
  void pause() { switch_back(false); }
  void leave() { switch_back(true); }

  /// Called first on the fiber.
  void arrived();

 private:
  void switch_back(bool for_good);

  ucontext_t inside_{}, outside_{};
  char* stack_ = nullptr;
  [[maybe_unused]] void *race_inside_ = nullptr, *race_outside_ = nullptr;  // of the thread sanitizer
  [[maybe_unused]] void *fake_inside_ = nullptr, *fake_outside_ = nullptr;  // of the address sanitizer
  [[maybe_unused]] const void* outer_stack_ = nullptr;
  [[maybe_unused]] std::size_t outer_size_ = 0;
};

}  // namespace cuda_emulation
