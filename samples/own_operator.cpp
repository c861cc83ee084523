// SPDX-License-Identifier: BSD-3-Clause
// The report on operators of one's own: how far is f(P X) from P f(X)?
#include <pcl_attention/equivariance.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "spiral.h"

using pcl_attention::CloudView;

/// Returns x of the i-th point.
float x_of(const CloudView& cloud, std::size_t i) {
  float x;
  std::memcpy(&x, cloud.point(i) + cloud.fields[0].offset, sizeof(x));
  return x;
}

/// One number per point: x minus the mean of all x. A sum over points, so equal up to rounding.
std::size_t minus_mean(const CloudView& cloud, std::vector<double>& rows) {
  const std::size_t n = cloud.num_points();
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += x_of(cloud, i);
  rows.resize(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = x_of(cloud, i) - sum / static_cast<double>(n);
  return 1;
}

/// One number per point: x minus x of the point before. Depends on the order of the points.
std::size_t minus_previous(const CloudView& cloud, std::vector<double>& rows) {
  const std::size_t n = cloud.num_points();
  rows.resize(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = x_of(cloud, i) - (i > 0 ? x_of(cloud, i - 1) : 0.0F);
  return 1;
}

int main() try {
  using namespace pcl_attention;
  const auto points = make_spiral(1000);
  CloudView cloud;
  cloud.data = reinterpret_cast<const std::byte*>(points.data());
  cloud.size = points.size() * sizeof(points[0]);
  cloud.width = points.size();
  cloud.point_step = sizeof(points[0]);
  cloud.fields = {{"x", FieldType::float32, 0, 1}};

  EquivarianceOptions options;
  options.is_double = true;
  const EquivarianceReport mean = evaluate_equivariance(cloud, minus_mean, options);
  const EquivarianceReport previous = evaluate_equivariance(cloud, minus_previous, options);
  std::printf("x - mean\n%s\nx - previous\n%s", to_table(mean).c_str(), to_table(previous).c_str());

  const bool as_expected =
      mean.level >= EquivarianceLevel::rounding && previous.level == EquivarianceLevel::none;
  return as_expected ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "own_operator: %s\n", error.what());
  return 2;
}
