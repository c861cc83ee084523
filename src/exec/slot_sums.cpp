// SPDX-License-Identifier: BSD-3-Clause
#include "exec/slot_sums.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "simd/kernels.h"

namespace pcl_attention {
namespace {

using simd::kSlotPanel;

/// Returns 2^x for an integer x ≤ 0; below the range of double 0.
double power_of_two(double x) { return std::ldexp(1.0, static_cast<int>(std::max(x, -2000.0))); }

}  // namespace

void SlotSums::clear(double* sums) const {
  for (double* head = sums; head != sums + size(); head += head_size()) {
    std::fill_n(head, largest(), 0.0);
    std::fill_n(head + largest(), padded, -static_cast<double>(FLT_MAX));
  }
}

void SlotSums::raise(const float* raised, double* head) const {
  for (std::size_t first = 0; first < padded; first += kSlotPanel) {
    double factor[kSlotPanel], *present = head + largest() + first;
    bool changes = false;
    for (std::size_t j = 0; j < kSlotPanel; ++j) {
      const auto next = static_cast<double>(raised[first + j]);
      factor[j] = next == present[j] ? 1.0 : power_of_two(present[j] - next);
      changes = changes || next != present[j];
      present[j] = next;
    }
    for (double* row = head + first; changes && row < head + largest(); row += padded)
      for (std::size_t j = 0; j < kSlotPanel; ++j) row[j] *= factor[j];
  }
}

void SlotSums::merge(const double* from, double* to) const {
  for (std::size_t at = 0; at < size(); at += head_size())
    for (std::size_t first = at; first < at + padded; first += kSlotPanel) {
      double scale[kSlotPanel], other[kSlotPanel];
      for (std::size_t j = 0; j < kSlotPanel; ++j) {
        const std::size_t slot = first + j + largest();
        const double most = std::max(from[slot], to[slot]);
        scale[j] = power_of_two(to[slot] - most);
        other[j] = power_of_two(from[slot] - most);
        to[slot] = most;
      }
      for (std::size_t row = first; row < first + largest(); row += padded)
        for (std::size_t j = 0; j < kSlotPanel; ++j)
          to[row + j] = to[row + j] * scale[j] + from[row + j] * other[j];
    }
}

}  // namespace pcl_attention
