// SPDX-License-Identifier: BSD-3-Clause
#include "tokens/coordinate_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcl_attention {
namespace {

template <class Number>
double distance_to_next(double magnitude) {
  const Number number = static_cast<Number>(magnitude);
  return static_cast<double>(std::nextafter(number, std::numeric_limits<Number>::infinity()) - number);
}

}  // namespace

double coordinate_step(FieldType type, double stored, double kept) {
  const double kept_step = distance_to_next<float>(kept);
  if (type == FieldType::float32) return std::max(distance_to_next<float>(stored), kept_step);
  const double double_step = std::max(distance_to_next<double>(stored), kept_step);
  return type == FieldType::float64 ? double_step : std::max(1.0, double_step);
}

}  // namespace pcl_attention
