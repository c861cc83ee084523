// SPDX-License-Identifier: BSD-3-Clause
// Blocks one after another, their threads in turn until all wait.
#include "cuda_emulation/block.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "cuda_emulation/sanitizers.h"

namespace cuda_emulation {
namespace {

constexpr unsigned kWarp = 32, kMostThreads = 1024;

#ifdef PCL_ATTENTION_TSAN
constexpr std::size_t kBlocksOfFibers = 4;  // threads of neighbouring blocks are different ones
#else
constexpr std::size_t kBlocksOfFibers = 1;
#endif

Block& block() {
  static Block the_block;
  return the_block;
}

bool same(Source a, Source b) { return a.line == b.line && std::strcmp(a.file, b.file) == 0; }

dim3 at(std::size_t i, dim3 size) {
  return {static_cast<unsigned>(i % size.x), static_cast<unsigned>(i / size.x % size.y),
          static_cast<unsigned>(i / size.x / size.y)};
}

std::string text(dim3 place) {
  return "(" + std::to_string(place.x) + ", " + std::to_string(place.y) + ", " + std::to_string(place.z) +
         ")";
}

}  // namespace

void Block::set_schedule(Schedule schedule, std::uint64_t seed) {
  schedule_ = schedule;
  seed_ = seed;
}

std::string Block::describe(const Thread& thread) const {
  const char* const waits[] = {"runs behind", "waits at __syncthreads in", "waits for its warp in",
                               "has ended behind"};
  return "thread " + text(thread.place.thread) + " of block " + text(thread.place.block) + " " +
         waits[static_cast<int>(thread.waiting)] + " " + thread.source.file + ":" +
         std::to_string(thread.source.line);
}

void Block::fail(const std::string& what) {
  if (fault_.empty()) fault_ = std::string("kernel ") + grid_->kernel + ": " + what;
}

void Block::check(const Grid& grid) const {
  const std::size_t threads = std::size_t{grid.threads.x} * grid.threads.y * grid.threads.z;
  const std::string kernel = std::string("kernel ") + grid.kernel + ": ";
  if (threads == 0 || threads > kMostThreads || threads % kWarp != 0)
    throw Error(kernel + std::to_string(threads) + " threads, expected a multiple of 32 up to 1024");
  if (grid.blocks.x == 0 || grid.blocks.x > 2147483647U || grid.blocks.y - 1 > 65534U ||
      grid.blocks.z - 1 > 65534U)
    throw Error(kernel + "a grid of " + text(grid.blocks) + " blocks cannot be launched");
  if (grid.shared_bytes > SharedMemory::kMost)
    throw Error(kernel + std::to_string(grid.shared_bytes) + " bytes of shared memory, at most 48 KB");
}

void Block::enter() {
  Thread& thread = block().current();
  thread.fiber.arrived();
  acquire(&block().begin_mark_);
  block().grid_->body(block().grid_->argument);
  release(&block().end_mark_);
  thread.waiting = Waiting::ended;
  thread.fiber.leave();
  std::abort();
}

void Block::start_block(unsigned index) {
  if (kBlocksOfFibers > 1)
    std::rotate(threads_.begin(), threads_.begin() + size_, threads_.begin() + size_ * kBlocksOfFibers);
  barrier_mark_ = (barrier_mark_ + 2) % barrier_marks_.size();
  warp_marks_.assign(size_ / kWarp, 0);
  shared_.clear();
  for (unsigned i = 0; i < size_; ++i) {
    Thread& thread = *threads_[i];
    thread.place = {at(i, grid_->threads), at(index, grid_->blocks), grid_->threads, grid_->blocks};
    thread.lane = i % kWarp;
    thread.warp = i / kWarp;
    thread.waiting = Waiting::nothing;
    thread.source = {"the kernel's begin", 0};
    thread.passed = 0;
    thread.fiber.restart(&Block::enter);
  }
  release(&begin_mark_);
}

void Block::run(const Grid& grid) {
  check(grid);
  grid_ = &grid;
  size_ = grid.threads.x * grid.threads.y * grid.threads.z;
  while (threads_.size() < size_ * kBlocksOfFibers) threads_.push_back(std::make_unique<Thread>());
  random_.seed(seed_);
  const unsigned count = grid.blocks.x * grid.blocks.y * grid.blocks.z;
  std::vector<unsigned> blocks(count);
  sequence_.resize(size_);
  for (unsigned i = 0; i < count; ++i) blocks[i] = schedule_ == Schedule::reverse ? count - 1 - i : i;
  for (unsigned i = 0; i < size_; ++i) sequence_[i] = schedule_ == Schedule::reverse ? size_ - 1 - i : i;
  if (schedule_ == Schedule::shuffled) std::shuffle(blocks.begin(), blocks.end(), random_);
  for (unsigned index : blocks) {
    start_block(index);
    run_block();
    if (!fault_.empty()) break;
  }
  acquire(&end_mark_);
  if (!fault_.empty()) throw Error(std::exchange(fault_, {}));
}

void Block::pause(Thread& thread) {
  release(&end_mark_);  // after a fault it is not resumed
  thread.fiber.pause();
}

void Block::give_up() {
  release(&end_mark_);
  current().fiber.leave();
  std::abort();
}

void Block::resume(Thread& thread) {
  current_ = &thread;
  thread.fiber.resume();
}

/// Runs those of sequence[first … first + count) that do not wait; returns true if there were any.
bool Block::run_ready(unsigned first, unsigned count) {
  if (schedule_ == Schedule::shuffled) std::shuffle(sequence_.begin(), sequence_.end(), random_);
  bool ran = false;
  for (unsigned i = first; i < first + count && fault_.empty(); ++i) {
    Thread& thread = *threads_[sequence_[i]];
    if (thread.waiting != Waiting::nothing) continue;
    resume(thread);
    ran = true;
  }
  return ran;
}

/// Each warp goes as far as it can before the next; shuffled, all threads take turns.
void Block::run_block() {
  const unsigned piece = schedule_ == Schedule::shuffled ? size_ : kWarp;
  while (fault_.empty()) {
    for (unsigned first = 0; first < size_; first += piece)
      while (run_ready(first, piece)) {
      }
    if (!fault_.empty() || open_barrier()) continue;
    const auto ended = [](const auto& thread) { return thread->waiting == Waiting::ended; };
    if (!std::all_of(threads_.begin(), threads_.begin() + size_, ended)) report_deadlock();
    return;
  }
}

/// Returns a lane that a waiting thread's mask names and that is elsewhere, or null.
const Thread* Block::missing_lane(const Thread& waiting) {
  for (unsigned lane = 0; waiting.waiting == Waiting::warp && lane < kWarp; ++lane)
    if ((waiting.mask >> lane & 1) != 0 && lane_of(waiting, lane)->waiting != Waiting::warp)
      return lane_of(waiting, lane);
  return nullptr;
}

void Block::report_deadlock() {
  std::string message = "nobody can go on:";
  int named = 0;
  for (unsigned i = 0; i < size_ && named < 4; ++i) {
    if (threads_[i]->waiting == Waiting::ended) continue;
    message += "\n  " + describe(*threads_[i]);
    if (const Thread* missing = missing_lane(*threads_[i])) message += ",\n    where " + describe(*missing);
    ++named;
  }
  fail(message);
}

void Block::wait_at_barrier(Source source) {
  Thread& thread = current();
  thread.source = source;
  thread.waiting = Waiting::barrier;
  char* const mark = &barrier_marks_[barrier_mark_ + thread.passed % 2];
  release(mark);
  pause(thread);
  acquire(mark);
}

/// Returns true if all that have not ended wait at the same barrier, and lets them go.
bool Block::open_barrier() {
  const Thread* first = nullptr;
  for (unsigned i = 0; i < size_; ++i) {
    const Thread& thread = *threads_[i];
    if (thread.waiting == Waiting::ended) continue;
    if (thread.waiting != Waiting::barrier) return false;
    if (first == nullptr) first = &thread;
    if (!same(first->source, thread.source)) {
      fail("threads of a block wait at different barriers:\n  " + describe(*first) + "\n  " +
           describe(thread));
      return true;
    }
  }
  for (unsigned i = 0; i < size_; ++i) {
    if (threads_[i]->waiting != Waiting::barrier) continue;
    threads_[i]->waiting = Waiting::nothing;
    ++threads_[i]->passed;
  }
  return first != nullptr;
}

Thread* Block::lane_of(const Thread& caller, unsigned lane) {
  return threads_[caller.warp * kWarp + lane].get();
}

/// Returns true if all lanes of the mask wait for the same operation.
bool Block::check_lanes(const Thread& caller) {
  if ((caller.mask >> caller.lane & 1) == 0)
    fail("the mask of a warp leaves its caller out: " + describe(caller));
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if ((caller.mask >> lane & 1) == 0) continue;
    const Thread& other = *lane_of(caller, lane);
    if (other.waiting == Waiting::ended)
      fail("the mask of a warp names a lane that has ended:\n  " + describe(caller) + "\n  " +
           describe(other));
    if (other.waiting != Waiting::warp) return false;
    if (other.mask != caller.mask || other.operation != caller.operation || other.size != caller.size ||
        !same(other.source, caller.source))
      fail("lanes of a warp meet in different operations:\n  " + describe(caller) + "\n  " + describe(other));
  }
  return fault_.empty();
}

std::uint64_t Block::result_for(const Thread& thread) const {
  unsigned lane = thread.lane;
  if (thread.operation == WarpOperation::from_lane) lane = static_cast<unsigned>(thread.argument) % kWarp;
  if (thread.operation == WarpOperation::from_xor) lane ^= static_cast<unsigned>(thread.argument);
  if (lane >= kWarp) lane = thread.lane;
  if ((thread.mask >> lane & 1) == 0) return ~std::uint64_t{0};
  return threads_[thread.warp * kWarp + lane]->given;
}

void Block::finish_warp(const Thread& caller) {
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if ((caller.mask >> lane & 1) == 0) continue;
    Thread& thread = *lane_of(caller, lane);
    thread.result = result_for(thread);
    thread.waiting = Waiting::nothing;
  }
}

void Block::take_part(WarpOperation operation, unsigned mask, void* value, std::size_t size, int argument,
                      Source source) {
  Thread& thread = current();
  thread.operation = operation;
  thread.mask = mask;
  thread.size = size;
  thread.argument = argument;
  thread.source = source;
  thread.waiting = Waiting::warp;
  thread.given = 0;
  std::memcpy(&thread.given, value, size);
  if (operation == WarpOperation::sync) release(&warp_marks_[thread.warp]);
  if (check_lanes(thread))
    finish_warp(thread);
  else
    pause(thread);
  std::memcpy(value, &thread.result, size);
  if (operation == WarpOperation::sync) acquire(&warp_marks_[thread.warp]);
}

void set_schedule(Schedule schedule, std::uint64_t seed) { block().set_schedule(schedule, seed); }

void run(const Grid& grid) {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  block().run(grid);
}

const Place& place() { return block().current().place; }
void block_barrier(Source source) { block().wait_at_barrier(source); }
void warp_operation(WarpOperation operation, unsigned mask, void* value, std::size_t size, int argument,
                    Source source) {
  block().take_part(operation, mask, value, size, argument, source);
}

void* static_shared(const void* key, std::size_t bytes) {
  void* found = block().shared().find(key, bytes);
  if (found != nullptr) return found;
  block().fail("a block's arrays take more than 48 KB of shared memory");
  block().give_up();
}

void* dynamic_shared() { return static_shared(&block(), block().grid().shared_bytes); }

}  // namespace cuda_emulation
