// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <cstddef>

#include "exec/float_environment.h"
#include "exec/fork_join.h"

// All bodies run in the default floating-point environment: equal bits in every host.

namespace pcl_attention {

/// Threads that several calls use one after the other.
class Threads {
 public:
  /// At most `num_threads` at a time; 0 = all that the process may use.
  explicit Threads(unsigned num_threads)
      : arena_(num_threads == 0 ? oneapi::tbb::task_arena::automatic : static_cast<int>(num_threads)) {}

  /// Returns body(). Nested calls of the functions below stay inside.
  template <class Body>
  auto run(const Body& body) {
    return arena_.execute([&] {
      const DefaultFloatEnvironment environment;
      return body();
    });
  }

 private:
  oneapi::tbb::task_arena arena_;
};

/// Returns body(), run on threads for this call.
template <class Body>
auto with_threads(unsigned num_threads, const Body& body) {
  return Threads(num_threads).run(body);
}

/// Returns how many threads the present arena has at most, and which of them calls: 0 … that many − 1.
inline std::size_t arena_threads() {
  return static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency());
}
inline std::size_t this_thread() {
  return static_cast<std::size_t>(oneapi::tbb::this_task_arena::current_thread_index());
}

/// Calls body(begin, end) for the ranges [i · block, min(n, (i+1) · block)), in any sequence. The
/// ranges depend on n and block alone.
template <class Body>
void for_each_block(std::size_t n, std::size_t block, const Body& body) {
  namespace tbb = oneapi::tbb;
  const std::size_t num_blocks = (n + block - 1) / block;
  ForkJoin region;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, num_blocks, 1),
      [&](const tbb::blocked_range<std::size_t>& blocks) {
        const ForkJoin::Branch branch(region);
        const DefaultFloatEnvironment environment;
        for (std::size_t b = blocks.begin(); b != blocks.end(); ++b)
          body(b * block, n < (b + 1) * block ? n : (b + 1) * block);
      },
      tbb::simple_partitioner());
}

/// Returns the merge of leaf(begin) … leaf(begin + count − 1) by a binary tree over aligned power-of-two
/// ranges: the right part of a range starts at its largest power of two. The tree depends on count alone, so
/// the result has the same bits for any number of threads. `merge(left, right)` adds right to left.
/// At most (threads · log2 count) partial results live at a time. Requires count ≥ 1.
template <class Leaf, class Merge>
auto tree_reduce(std::size_t begin, std::size_t count, const Leaf& leaf, const Merge& merge)
    -> decltype(leaf(begin)) {
  if (count == 1) {
    const DefaultFloatEnvironment environment;
    return leaf(begin);
  }
  std::size_t half = 1;
  while (half * 2 < count) half *= 2;
  decltype(leaf(begin)) left, right;
  {
    ForkJoin region;
    const auto part = [&](auto& result, std::size_t first, std::size_t size) {
      const ForkJoin::Branch branch(region);
      result = tree_reduce(first, size, leaf, merge);
    };
    oneapi::tbb::parallel_invoke([&] { part(left, begin, half); },
                                 [&] { part(right, begin + half, count - half); });
  }
  const DefaultFloatEnvironment environment;
  merge(left, right);
  return left;
}

}  // namespace pcl_attention
