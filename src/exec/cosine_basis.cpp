// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cosine_basis.h"

#include <algorithm>
#include <cmath>

namespace pcl_attention {
namespace {

using simd::kTilePoints;

constexpr double kPi = 3.14159265358979323846;

/// Writes cos and sin of 0, x, 2x, … with x = π · turn: powers of a complex number, whose error grows by one
/// rounding in double each.
template <class Write>
void multiples(double turn, std::size_t count, const Write& write) {
  const double cosine = std::cos(kPi * turn), sine = std::sin(kPi * turn);
  double c = 1.0, s = 0.0;
  for (std::size_t m = 0; m < count; ++m) {
    write(m, static_cast<float>(c), static_cast<float>(s));
    const double next = c * cosine - s * sine;
    s = c * sine + s * cosine;
    c = next;
  }
}

}  // namespace

void CosineBasis::prepare(std::size_t num_cosines, std::size_t num_ranks) {
  num_cosines_ = num_cosines;
  num_ranks_ = num_ranks;
  const std::size_t size = padded_slots(num_cosines) * kTilePoints;
  std::fill_n(cosines_.reserve(size), size, 0.0F);
  std::fill_n(sines_.reserve(size), size, 0.0F);
  for (std::size_t p = 0; p < std::min(kTilePoints, num_ranks); ++p) {
    const double turn = (static_cast<double>(p) + 0.5) / static_cast<double>(num_ranks);
    multiples(turn, num_cosines, [&](std::size_t m, float cosine, float sine) {
      const std::size_t at = simd::panel_row(p) + simd::panel_slot(m);
      cosines_.data()[at] = cosine;
      sines_.data()[at] = sine;
    });
  }
}

void CosineBasis::panels(const SurfaceLayout& layout, TileRange range, float* scratch, float* out) const {
  const std::size_t padded = padded_slots(num_cosines_);
  float *cosine = scratch, *sine = scratch + padded;
  std::fill_n(scratch, scratch_size(num_cosines_), 0.0F);
  multiples(static_cast<double>(range.first) / static_cast<double>(num_ranks_), num_cosines_,
            [&](std::size_t m, float c, float s) {
              cosine[m] = c;
              sine[m] = s;
            });
  simd::turn_panels(cosines_.data(), sines_.data(), cosine, sine, range.count, padded, out);
  clear_left_out(layout, range, padded, out);
}

}  // namespace pcl_attention
