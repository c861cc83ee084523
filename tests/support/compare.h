// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace pcl_attention::test {

/// Returns ‖a − b‖ / ‖b‖ over n numbers. Infinite if any number is not finite on either side, so that
/// NaN never passes; 0 if both are all zero or n = 0.
template <class A, class B>
double relative_l2(const A* a, const B* b, std::size_t n) {
  double difference = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) return std::numeric_limits<double>::infinity();
    difference += (x - y) * (x - y);
    norm += y * y;
  }
  if (norm == 0.0) return difference == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
  return std::sqrt(difference / norm);
}

/// The same for vectors; infinite if the sizes differ.
template <class A, class B>
double relative_l2(const std::vector<A>& a, const std::vector<B>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  return relative_l2(a.data(), b.data(), a.size());
}

/// Returns true if both hold the same bits, NaN included.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace pcl_attention::test
