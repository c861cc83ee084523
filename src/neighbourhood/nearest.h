// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "neighbourhood/places.h"

namespace pcl_attention {

constexpr std::size_t kNeighbours = 32;

/// The points nearest to a position, by distance, then rank; only the first `size` are set.
struct Neighbours {
  std::size_t size = 0;
  std::array<double, kNeighbours> squared;       ///< distance²
  std::array<std::uint32_t, kNeighbours> place;  ///< where it lies
};

/// Finds nearest points among places, which outlive it.
class NearestPoints {
 public:
  explicit NearestPoints(const Places& places);
  ~NearestPoints();

  /// Looks at the places as they are now. Allocates.
  void build();

  /// Returns the 32 nearest points, or all if they are fewer. A place at the position itself counts one point
  /// less: the one that asks.
  Neighbours find(const std::array<double, 3>& position) const;

  /// Returns about how many bytes the tree takes for n points.
  static constexpr std::size_t size_of(std::size_t n) { return n * 12; }

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace pcl_attention
