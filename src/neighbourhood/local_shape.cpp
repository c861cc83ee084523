// SPDX-License-Identifier: BSD-3-Clause
#include "neighbourhood/local_shape.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace pcl_attention {
namespace {

constexpr std::size_t kShapeNeighbours = 16;
constexpr double kLeastEigenvalue = 1e-18, kLeastRange = 1e-6;

void add_distances(const Neighbours& neighbours, LocalShape& shape) {
  double sum = 0.0;
  for (std::size_t i = 0; i < neighbours.size; ++i) {
    const double distance = std::sqrt(neighbours.squared[i]);
    sum += distance;
    if (i == 0) shape.nearest = distance;
    if (i < 8) shape.eighth = distance;
    for (std::size_t m = 0; m < shape.mean.size(); ++m)
      if (i < (std::size_t{4} << m)) shape.mean[m] = sum / static_cast<double>(i + 1);
  }
}

Eigen::Matrix3d covariance(const Places& places, const Neighbours& neighbours) {
  const std::size_t n = std::min(neighbours.size, kShapeNeighbours);
  const double count = static_cast<double>(std::max<std::size_t>(n, 1));
  const auto position = [&](std::size_t i) {
    const std::array<double, 3> p = places.position(neighbours.place[i]);
    return Eigen::Vector3d(p[0], p[1], p[2]);
  };
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < n; ++i) mean += position(i);
  mean /= count;
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Vector3d from_mean = position(i) - mean;
    sum += from_mean * from_mean.transpose();
  }
  return sum / count;
}

}  // namespace

LocalShape local_shape(const Places& places, const Neighbours& neighbours,
                       const std::array<double, 3>& view) {
  LocalShape shape;
  add_distances(neighbours, shape);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance(places, neighbours));
  const Eigen::Array3d lambda = solver.eigenvalues().array().max(0.0) + kLeastEigenvalue;  // ascending
  shape.extent_2 = std::sqrt(lambda(1) / lambda(2));
  shape.extent_3 = std::sqrt(lambda(0) / lambda(2));
  shape.spread = lambda.sum();
  const Eigen::Vector3d normal = solver.eigenvectors().col(0), seen(view[0], view[1], view[2]);
  shape.normal_z = std::abs(normal.z());
  shape.normal_view = std::abs(normal.dot(seen)) / std::max(seen.norm(), kLeastRange);
  return shape;
}

}  // namespace pcl_attention
