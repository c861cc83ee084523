// SPDX-License-Identifier: BSD-3-Clause
#include "reference/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  PositionRows(const ProjectionConfig& projection, const SurfaceFacts& facts) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t count = projection.anchor_grid[axis];
      const double edge = (facts.highest[axis] - facts.lowest[axis]) / static_cast<double>(count);
      const double sigma = projection.sigma * edge;
      factor_[axis] = edge > 0.0 ? -0.5 / (sigma * sigma) : 0.0;
      for (std::size_t i = 0; i < count; ++i)
        anchors_[axis].push_back(facts.lowest[axis] + (static_cast<double>(i) + 0.5) * edge);
    }
  }

  void row(const Place& place, double* e) const override {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    double* end = e;
    for (double x : anchors_[0])
      for (double y : anchors_[1])
        for (double z : anchors_[2]) {
          *end = term(place, 0, x) + term(place, 1, y) + term(place, 2, z);
          largest = std::max(largest, *end++);
        }
    for (double* value = e; value != end; ++value) sum += * value = std::exp(*value - largest);
    for (double* value = e; value != end; ++value) *value /= sum;
  }
  bool is_normalised() const override { return true; }

 private:
  double term(const Place& place, std::size_t axis, double anchor) const {
    const double difference = place.position[axis] - anchor;
    return factor_[axis] * difference * difference;
  }

  std::array<std::vector<double>, 3> anchors_;
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

std::unique_ptr<ProjectionRows> make_position_rows(const ProjectionConfig& projection,
                                                   const SurfaceFacts& facts) {
  return std::make_unique<PositionRows>(projection, facts);
}

}  // namespace pcl_attention::reference
