// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "exec/cosine_basis.h"
#include "simd/targets.h"

namespace pcl_attention::test {
namespace {

using simd::kTilePoints;

/// A surface of n tokens, of which every fifth takes no part if `masked`.
struct Ranks {
  Ranks(std::size_t n, bool masked) : keep(n, 1) {
    tokens.n = n;
    layout.tokens = &tokens;
    layout.num_ranked = n;
    for (std::size_t i = 0; i < n; i += 5) keep[i] = 0;
    if (masked) layout.keep = keep.data();
  }
  TokenRows tokens;
  std::vector<std::uint8_t> keep;
  SurfaceLayout layout;
};

void expect_cosines(std::size_t n, std::size_t num_cosines, bool masked,
                    const std::vector<std::size_t>& tiles) {
  const Ranks ranks(n, masked);
  CosineBasis basis;
  basis.prepare(num_cosines, n);
  Buffer<float> scratch, panels;
  scratch.reserve(CosineBasis::scratch_size(num_cosines));
  panels.reserve(padded_slots(num_cosines) * kTilePoints);
  for (const std::size_t tile : tiles) {
    const TileRange range(tile, n);
    basis.panels(ranks.layout, range, scratch.data(), panels.data());
    double error = 0.0;
    for (std::size_t p = 0; p < range.count; ++p)
      for (std::size_t m = 0; m < padded_slots(num_cosines); ++m) {
        const bool zero = m >= num_cosines || !ranks.layout.takes_part(range.first + p);
        const std::size_t halves = m * (2 * (range.first + p) + 1) % (4 * n);
        const double expected =
            zero ? 0.0 : std::cos(std::acos(-1.0) * static_cast<double>(halves) / static_cast<double>(2 * n));
        const double found = static_cast<double>(panels.data()[simd::panel_row(p) + simd::panel_slot(m)]);
        ASSERT_TRUE(!zero || found == 0.0);
        error = std::max(error, std::abs(found - expected));
      }
    EXPECT_LE(error, 3e-7) << n << ' ' << num_cosines << ' ' << tile;
  }
}

TEST(CosineBasis, IsAccurateToFloat) {
  on_every_target([&] {
    expect_cosines(1, 5, false, {0});
    expect_cosines(191, 33, true, {0});
    expect_cosines(1000, 64, false, {0, 3, 5});
    expect_cosines(3000000, 4096, false, {0, 7777, 15624});
    expect_cosines(3000000, 32, true, {1, 15624});
  });
}

}  // namespace
}  // namespace pcl_attention::test
