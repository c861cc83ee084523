// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "neighbourhood/fields.h"

namespace pcl_attention::test {

/// The definitions of neighbourhood.h over all pairs, in double. Points are given by rank.
class BruteForce {
 public:
  using Point = Eigen::Vector3d;

  struct Row {
    NeighbourhoodRow numbers{};
    bool has_normal = true;  ///< false where λ2 and λ3 are too close for one
  };

  BruteForce(std::vector<Point> points, const Point& sensor) : points_(std::move(points)), sensor_(sensor) {
    std::vector<double> eighths;
    for (const Point& point : points_) {
      near_.push_back(nearest(point));
      const std::size_t n = near_.back().size();
      eighths.push_back(n == 0 ? 0.0 : near_.back()[std::min<std::size_t>(n, 8) - 1].distance);
    }
    std::sort(eighths.begin(), eighths.end());
    const std::size_t n = eighths.size();
    if (n > 0) floor_ += 1e-4 * (eighths[(n - 1) / 2] + eighths[n / 2]) / 2.0;
  }

  Row row(const Point& point) const {
    const std::vector<Near> near = nearest(point);
    Row row;
    double* out = row.numbers.data();
    *out++ = log_mean(near, 1);
    for (std::size_t k : {4, 8, 16, 32}) *out++ = log_mean(near, k);
    for (std::size_t k : {4, 8, 16}) {
      const std::size_t n = std::min(k, near.size());
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += log_mean(near_[near[i].index], k);
      *out++ = n == 0 ? 0.0 : log_mean(near, k) - sum / static_cast<double>(n);
    }
    add_shape(near, point - sensor_, out, row);
    return row;
  }

 private:
  struct Near {
    double distance = 0.0;
    std::size_t index = 0;
  };

  /// Returns up to 32 others; one point at the position itself is the one that asks.
  std::vector<Near> nearest(const Point& point) const {
    std::vector<Near> near;
    for (std::size_t i = 0; i < points_.size(); ++i) near.push_back({(points_[i] - point).norm(), i});
    std::stable_sort(near.begin(), near.end(),
                     [](const Near& a, const Near& b) { return a.distance < b.distance; });
    if (!near.empty() && near[0].distance == 0.0) near.erase(near.begin());
    if (near.size() > 32) near.resize(32);
    return near;
  }

  double log_mean(const std::vector<Near>& near, std::size_t k) const {
    const std::size_t n = std::min(k, near.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += near[i].distance;
    return std::log((n == 0 ? 0.0 : sum / static_cast<double>(n)) + floor_);
  }

  void add_shape(const std::vector<Near>& near, const Point& view, double* out, Row& row) const {
    const std::size_t n = std::min<std::size_t>(near.size(), 16);
    Eigen::MatrixX3d offsets = Eigen::MatrixX3d::Zero(16, 3);  // rows of 0 change no singular value
    Eigen::RowVector3d mean = Eigen::RowVector3d::Zero();
    for (std::size_t i = 0; i < n; ++i) mean += points_[near[i].index].transpose() / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
      offsets.row(static_cast<Eigen::Index>(i)) = points_[near[i].index].transpose() - mean;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(offsets, Eigen::ComputeThinV);
    const double count = static_cast<double>(std::max<std::size_t>(n, 1));
    const Eigen::Array3d lambda = svd.singularValues().array().square() / count + 1e-18;  // descending
    const Point normal = svd.matrixV().col(2);
    row.has_normal = lambda(1) - lambda(2) > 1e-6 * lambda(0);
    *out++ = std::sqrt(lambda(1) / lambda(0));
    *out++ = std::sqrt(lambda(2) / lambda(0));
    *out++ = 0.5 * std::log(lambda.sum() + floor_ * floor_);
    *out++ = std::abs(normal.z());
    *out++ = std::abs(normal.dot(view)) / std::max(view.norm(), 1e-6);
    *out++ = std::log(view.norm() + 1e-6);
  }

  std::vector<Point> points_;
  Point sensor_;
  std::vector<std::vector<Near>> near_;
  double floor_ = 1e-9;
};

}  // namespace pcl_attention::test
