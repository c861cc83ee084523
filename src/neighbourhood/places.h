// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "attention/engine.h"

namespace pcl_attention {

/// The distinct positions of points in rank order. Many points at one place cost a search no more than one.
/// Keeps its memory between frames.
class Places {
 public:
  /// Takes tokens 0 … num_points − 1. Their order is canonical, so that copies of a position follow each
  /// other.
  void take(const TokenRows& tokens, std::size_t num_points);

  std::size_t size() const { return first_rank_.empty() ? 0 : first_rank_.size() - 1; }
  std::size_t num_points() const { return first_rank_.empty() ? 0 : first_rank_.back(); }

  /// Points at place i have the ranks first_rank(i) … first_rank(i + 1) − 1.
  std::uint32_t first_rank(std::size_t place) const { return first_rank_[place]; }
  std::size_t num_copies(std::size_t place) const { return first_rank_[place + 1] - first_rank_[place]; }

  double coordinate(std::size_t place, std::size_t axis) const {
    return static_cast<double>(positions_[3 * place + axis]);
  }
  std::array<double, 3> position(std::size_t place) const {
    return {coordinate(place, 0), coordinate(place, 1), coordinate(place, 2)};
  }

  /// Returns the bytes for n points.
  static constexpr std::size_t size_of(std::size_t n) {
    return n * (3 * sizeof(float) + sizeof(std::uint32_t));
  }

 private:
  std::vector<float> positions_;
  std::vector<std::uint32_t> first_rank_;
};

}  // namespace pcl_attention
