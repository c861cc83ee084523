// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuda_emulation/emulation.h"
#include "cuda_emulation/fiber.h"
#include "cuda_emulation/shared_memory.h"
#include "cuda_emulation/threads.h"

namespace cuda_emulation {

enum class Waiting { nothing, barrier, warp, ended };

struct Thread {
  Fiber fiber;
  Place place;
  unsigned lane = 0, warp = 0;
  Waiting waiting = Waiting::nothing;
  Source source{"", 0};
  unsigned passed = 0;  // barriers

  WarpOperation operation{};
  unsigned mask = 0;
  int argument = 0;
  std::size_t size = 0;
  std::uint64_t given = 0, result = 0;
};

/// The threads of the block that runs.
class Block {
 public:
  /// Runs a whole grid. @throws Error
  void run(const Grid& grid);

  Thread& current() { return *current_; }
  SharedMemory& shared() { return shared_; }
  const Grid& grid() const { return *grid_; }

  void wait_at_barrier(Source source);
  void take_part(WarpOperation operation, unsigned mask, void* value, std::size_t size, int argument,
                 Source source);

  /// Notes a fault of the kernel, which ends with it; the first counts.
  void fail(const std::string& what);

  /// Ends the calling thread, which has failed.
  [[noreturn]] void give_up();

  void set_schedule(Schedule schedule, std::uint64_t seed);

 private:
  static void enter();
  void check(const Grid& grid) const;
  void start_block(unsigned block);
  void run_block();
  bool run_ready(unsigned first, unsigned count);
  bool open_barrier();
  bool check_lanes(const Thread& caller);
  void finish_warp(const Thread& caller);
  std::uint64_t result_for(const Thread& lane) const;
  Thread* lane_of(const Thread& caller, unsigned lane);
  void resume(Thread& thread);
  void pause(Thread& thread);
  std::string describe(const Thread& thread) const;
  const Thread* missing_lane(const Thread& waiting);
  void report_deadlock();

  Schedule schedule_ = Schedule::forward;
  std::uint64_t seed_ = 1;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Thread>> threads_;  // of this block first
  std::vector<unsigned> sequence_;
  const Grid* grid_ = nullptr;
  Thread* current_ = nullptr;
  unsigned size_ = 0;
  SharedMemory shared_;
  std::string fault_;

  // Addresses of the thread sanitizer: who passes a barrier of this block, a warp's, the grid's begin and
  // end.
  std::vector<char> barrier_marks_ = std::vector<char>(8192), warp_marks_;
  std::size_t barrier_mark_ = 0;
  char begin_mark_ = 0, end_mark_ = 0;
};

}  // namespace cuda_emulation
