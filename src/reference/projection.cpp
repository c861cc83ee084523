// SPDX-License-Identifier: BSD-3-Clause
#include "reference/projection.h"

#include <algorithm>
#include <cmath>

namespace pcl_attention::reference {
namespace {

constexpr double kPi = 3.14159265358979323846;

class StoredRows : public ProjectionRows {
 public:
  StoredRows(const Linear& map, const SurfaceFacts& facts)
      : map_(map), num_ranks_(facts.num_ranks), resample_(facts.length_policy == LengthPolicy::resample) {}

  void row(const Place& place, double* e) const override {
    Eigen::Map<RowVector> out(e, map_.transposed().cols());
    if (!resample_) {
      out = map_.transposed().row(index(place.rank));
      return;
    }
    const Index last = map_.transposed().rows() - 1;
    const double ratio = static_cast<double>(last + 1) / static_cast<double>(num_ranks_);
    const double at =
        std::clamp((static_cast<double>(place.rank) + 0.5) * ratio - 0.5, 0.0, static_cast<double>(last));
    const Index low = static_cast<Index>(at);
    const double weight = at - static_cast<double>(low);
    out = ratio * ((1.0 - weight) * map_.transposed().row(low) +
                   weight * map_.transposed().row(std::min(low + 1, last)));
  }
  RowVector bias() const override { return map_.bias(); }

 private:
  const Linear& map_;  // n numbers to k
  std::size_t num_ranks_;
  bool resample_;
};

class SmoothRows : public ProjectionRows {
 public:
  SmoothRows(const Linear& map, std::size_t length, const SurfaceFacts& facts)
      : map_(map),
        num_ranks_(facts.num_ranks),
        ratio_(static_cast<double>(length) / static_cast<double>(facts.num_ranks)) {}

  void row(const Place& place, double* e) const override {
    Eigen::Map<RowVector> out(e, map_.transposed().cols());
    out.setZero();
    for (Index m = 0; m < map_.transposed().rows(); ++m)
      out += ratio_ * cosine(static_cast<std::size_t>(m), place.rank) * map_.transposed().row(m);
  }
  RowVector bias() const override { return map_.bias(); }

 private:
  /// Returns cos(π m (2 rank + 1) / 2n), whole turns taken off before anything is rounded.
  double cosine(std::size_t m, std::size_t rank) const {
    const std::size_t halves = m * (2 * rank + 1) % (4 * num_ranks_);
    return std::cos(kPi * static_cast<double>(halves) / static_cast<double>(2 * num_ranks_));
  }

  const Linear& map_;  // M numbers to k
  std::size_t num_ranks_;
  double ratio_;
};

class SegmentRows : public ProjectionRows {
 public:
  SegmentRows(std::size_t k, const SurfaceFacts& facts)
      : k_(k), num_ranks_(facts.num_ranks), used_(std::min(k, facts.num_ranks)) {}

  void row(const Place& place, double* e) const override {
    std::fill_n(e, k_, 0.0);
    e[((place.rank + 1) * used_ - 1) / num_ranks_] = 1.0;
  }
  bool is_normalised() const override { return true; }

 private:
  std::size_t k_, num_ranks_, used_;
};

class PositionRows : public ProjectionRows {
 public:
  PositionRows(const ProjectionConfig& projection, const PositionMap& map, const SurfaceFacts& facts)
      : map_(map) {
    if (projection.learned_anchors) {
      anchors_ = map.anchors;
      factor_.fill(-0.5 / (projection.sigma * projection.sigma));
    } else {
      place_grid(projection, facts);
    }
  }

  void row(const Place& place, double* e) const override {
    Eigen::Map<RowVector> out(e, anchors_.rows());
    for (Index j = 0; j < anchors_.rows(); ++j) out(j) = score(place.position, j);
    if (map_.mlp_in.exists()) {
      const Matrix position = Eigen::Map<const RowVector>(place.position, 3);
      out += map_.mlp_out(map_.mlp_in(position).unaryExpr(&gelu)).row(0);
    }
    const double largest = out.maxCoeff();
    double sum = 0.0;
    for (Index j = 0; j < out.size(); ++j) sum += out(j) = std::exp(out(j) - largest);
    out /= sum;
  }
  bool is_normalised() const override { return true; }

 private:
  /// Anchors by x, then y, then z.
  void place_grid(const ProjectionConfig& projection, const SurfaceFacts& facts) {
    const auto& count = projection.anchor_grid;
    anchors_.resize(index(count[0] * count[1] * count[2]), 3);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double edge = (facts.highest[axis] - facts.lowest[axis]) / static_cast<double>(count[axis]);
      const double sigma = projection.sigma * edge;
      factor_[axis] = edge > 0.0 ? -0.5 / (sigma * sigma) : 0.0;
      const std::size_t stride = axis == 0 ? count[1] * count[2] : axis == 1 ? count[2] : 1;
      for (Index j = 0; j < anchors_.rows(); ++j) {
        const std::size_t cell = static_cast<std::size_t>(j) / stride % count[axis];
        anchors_(j, index(axis)) = facts.lowest[axis] + (static_cast<double>(cell) + 0.5) * edge;
      }
    }
  }

  double score(const double* position, Index j) const {
    double sum = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double difference = position[axis] - anchors_(j, index(axis));
      sum += factor_[axis] * difference * difference;
    }
    return sum;
  }

  const PositionMap& map_;
  Matrix anchors_;  ///< [k × 3]
  std::array<double, 3> factor_{};
};

}  // namespace

std::unique_ptr<ProjectionRows> make_stored_rows(const Linear& map, const SurfaceFacts& facts) {
  return std::make_unique<StoredRows>(map, facts);
}

std::unique_ptr<ProjectionRows> make_smooth_rows(const Linear& map, std::size_t length,
                                                 const SurfaceFacts& facts) {
  return std::make_unique<SmoothRows>(map, length, facts);
}

std::unique_ptr<ProjectionRows> make_segment_rows(std::size_t k, const SurfaceFacts& facts) {
  return std::make_unique<SegmentRows>(k, facts);
}

PositionMap::PositionMap(const PositionWeights& weights) : mlp_in(weights.mlp_in), mlp_out(weights.mlp_out) {
  if (weights.anchors != nullptr) anchors = Linear({weights.anchors, nullptr}).transposed().transpose();
}

std::unique_ptr<ProjectionRows> make_position_rows(const ProjectionConfig& projection, const PositionMap& map,
                                                   const SurfaceFacts& facts) {
  return std::make_unique<PositionRows>(projection, map, facts);
}

}  // namespace pcl_attention::reference
