// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>

#include "exec/parallel.h"

namespace pcl_attention::test {

/// Lets this process use `num_threads` threads, however few cores it has, while the object lives.
class AllowThreads {
 public:
  explicit AllowThreads(std::size_t num_threads)
      : control_(oneapi::tbb::global_control::max_allowed_parallelism, num_threads) {}

 private:
  oneapi::tbb::global_control control_;
};

/// Returns how many distinct threads take part in one for_each_block limited to `num_threads`.
/// Every block waits until all threads have arrived, 60 s at most, so that none is done by a thread twice.
inline std::size_t count_threads_that_take_part(unsigned num_threads) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::atomic<unsigned> arrived{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  with_threads(num_threads, [&] {
    for_each_block(num_threads, 1, [&](std::size_t, std::size_t) {
      {
        const std::lock_guard<std::mutex> lock(mutex);
        threads.insert(std::this_thread::get_id());
      }
      ++arrived;
      while (arrived < num_threads && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
  });
  return threads.size();
}

}  // namespace pcl_attention::test
