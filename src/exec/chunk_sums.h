// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exec/buffer.h"
#include "exec/parallel.h"

namespace pcl_attention {

/// Sums of fixed size over chunks, merged by the tree of tree_reduce without an allocation per call.
///
/// Chunks are taken in aligned groups of a power of two. Inside a group the tree is walked by a binary
/// counter; the groups' sums are merged at the end. Whatever the size of a group, the additions are those of
/// the one tree over all chunks.
class ChunkSums {
 public:
  /// Returns the bytes that start() takes.
  static std::size_t size(std::size_t num_chunks, std::size_t size, std::size_t num_threads) {
    const std::size_t group = group_size(num_chunks, num_threads);
    return num_threads * Buffer<double>::size(stack_depth(group) * size) +
           Buffer<double>::size((num_chunks + group - 1) / group * size);
  }

  /// Prepares for `num_chunks` chunks of `size` numbers each.
  void start(std::size_t num_chunks, std::size_t size, std::size_t num_threads) {
    num_chunks_ = num_chunks;
    size_ = size;
    group_ = group_size(num_chunks, num_threads);
    levels_.resize(std::max(levels_.size(), num_threads));
    for (Buffer<double>& stack : levels_) stack.reserve(stack_depth(group_) * size);
    groups_.reserve((num_chunks + group_ - 1) / group_ * size);
  }

  /// Calls leaf(chunk, sums) for every chunk, in parallel; leaf adds to sums [size], which start at zero.
  /// Returns the merged sums [size].
  /// @param merge  merge(from, to) adds sums to those of the chunks before
  template <class Leaf, class Merge>
  double* reduce(const Leaf& leaf, const Merge& merge) {
    for_each_block(num_chunks_, group_, [&](std::size_t begin, std::size_t end) {
      reduce_group(begin, end, levels_[this_thread()].data(), leaf, merge,
                   groups_.data() + begin / group_ * size_);
    });
    const std::size_t count = (num_chunks_ + group_ - 1) / group_;
    for (std::size_t step = 1; step < count; step *= 2)
      for (std::size_t i = 0; i + step < count; i += 2 * step)
        merge(groups_.data() + (i + step) * size_, groups_.data() + i * size_);
    return groups_.data();
  }

 private:
  static constexpr std::size_t kMostGroups = 16;  ///< per thread

  /// Returns the chunks of a group, a power of two.
  static std::size_t group_size(std::size_t num_chunks, std::size_t num_threads) {
    std::size_t group = 1;
    while ((num_chunks + group - 1) / group > kMostGroups * num_threads) group *= 2;
    return group;
  }
  static std::size_t stack_depth(std::size_t group) {
    std::size_t depth = 1;
    for (; group > 1; group /= 2) ++depth;
    return depth;
  }

  /// stack[l] holds the sum of a finished range; ranges grow as the bits of a binary counter carry.
  template <class Leaf, class Merge>
  void reduce_group(std::size_t begin, std::size_t end, double* stack, const Leaf& leaf, const Merge& merge,
                    double* result) const {
    std::size_t top = 0;
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      double* sums = stack + top++ * size_;
      std::fill_n(sums, size_, 0.0);
      leaf(chunk, sums);
      for (std::size_t done = chunk - begin + 1; done % 2 == 0; done /= 2) {
        --top;
        merge(stack + top * size_, stack + (top - 1) * size_);
      }
    }
    for (; top > 1; --top) merge(stack + (top - 1) * size_, stack + (top - 2) * size_);
    std::copy_n(stack, size_, result);
  }

  std::size_t num_chunks_ = 0, size_ = 0, group_ = 1;
  std::vector<Buffer<double>> levels_;  ///< a stack per thread
  Buffer<double> groups_;
};

}  // namespace pcl_attention
