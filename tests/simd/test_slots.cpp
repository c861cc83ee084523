// SPDX-License-Identifier: BSD-3-Clause
#include "simd/slots.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "simd/targets.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using simd::kSlotPanel;
using simd::kTilePoints;

constexpr std::size_t kSlots = 64;

/// Learned queries and a tile with offsets and anchors, in float and as formula.
struct Case {
  explicit Case(std::size_t width)
      : z(width, 1, 4.0F), x(width, 2), offsets(1, 3), anchors(3, 4), positions(3, 5) {
    slots.queries = z.data();
    slots.width = width;
    slots.padded_slots = kSlots;
  }
  double score(std::size_t p, std::size_t j) const {
    double sum = slots.offsets == nullptr ? 0.0 : offsets.at(0, p);
    for (std::size_t c = 0; c < slots.width; ++c)
      sum += static_cast<double>(z.data()[c * kSlots + j]) * x.at(c, p);
    if (slots.anchors == nullptr) return sum;
    for (std::size_t axis = 0; axis < 3; ++axis)
      sum += static_cast<double>(slots.distance_factor) *
             std::pow(positions.at(axis, p) - static_cast<double>(anchors.data()[axis * kSlots + j]), 2);
    return sum;
  }

  RandomTile z, x, offsets, anchors, positions;
  simd::SlotQueries slots;
};

void check(const Case& of, std::size_t count, const std::uint8_t* takes_part) {
  Buffer<float> largest, panels;
  std::fill_n(largest.reserve(kSlots), kSlots, -FLT_MAX);
  panels.reserve(kSlots * kTilePoints);
  simd::weigh_slots(of.slots, of.x.data(), count, takes_part, largest.data(), panels.data());
  std::vector<double> got, expected;
  for (std::size_t j = 0; j < kSlots; ++j) {
    double most = -static_cast<double>(FLT_MAX);
    for (std::size_t p = 0; p < count; ++p)
      if (takes_part == nullptr || takes_part[p] != 0) most = std::max(most, of.score(p, j));
    const auto raised = static_cast<double>(largest.data()[j]);
    EXPECT_EQ(raised, std::ceil(raised));
    EXPECT_GE(raised, most - 1e-5);
    EXPECT_LE(raised, most + 1.0 + 1e-5);
    for (std::size_t p = 0; p < count; ++p) {
      const bool counts = takes_part == nullptr || takes_part[p] != 0;
      expected.push_back(counts ? std::exp2(of.score(p, j) - raised) : 0.0);
      got.push_back(static_cast<double>(
          panels.data()[(j / kSlotPanel * kTilePoints + p) * kSlotPanel + j % kSlotPanel]));
      EXPECT_TRUE(counts || got.back() == 0.0);
    }
  }
  EXPECT_LE(relative_l2(got, expected), 1e-5);
}

TEST(WeighSlots, AgreesWithTheFormula) {
  std::uint8_t some[kTilePoints];
  for (std::size_t p = 0; p < kTilePoints; ++p) some[p] = p % 3 != 1;
  on_every_target([&] {
    for (std::size_t width : {1U, 5U, 16U})
      for (std::size_t count : {0U, 1U, 7U, 191U, 192U})
        for (int extra = 0; extra < 3; ++extra) {
          Case of(width);
          if (extra == 1) of.slots.offsets = of.offsets.data();
          if (extra == 2) {
            of.slots.anchors = of.anchors.data();
            of.slots.positions = of.positions.data();
            of.slots.distance_factor = -20.0F;
          }
          check(of, count, nullptr);
          check(of, count, some);
        }
  });
}

TEST(WeighSlots, NeverLowersTheLargestScore) {
  on_every_target([] {
    const Case of(5);
    Buffer<float> largest, panels;
    std::fill_n(largest.reserve(kSlots), kSlots, 1000.0F);
    panels.reserve(kSlots * kTilePoints);
    simd::weigh_slots(of.slots, of.x.data(), kTilePoints, nullptr, largest.data(), panels.data());
    for (std::size_t j = 0; j < kSlots; ++j) EXPECT_EQ(largest.data()[j], 1000.0F);
  });
}

TEST(ScaledSquares, AgreesWithTheFormula) {
  on_every_target([] {
    const RandomTile x(7, 1);
    Buffer<float> squares;
    squares.reserve(kTilePoints);
    simd::scaled_squares(x.data(), 7, -0.5F, squares.data());
    for (std::size_t p = 0; p < kTilePoints; ++p) {
      double sum = 0.0;
      for (std::size_t c = 0; c < 7; ++c) sum += x.at(c, p) * x.at(c, p);
      EXPECT_NEAR(static_cast<double>(squares.data()[p]), -0.5 * sum, 1e-6);
    }
  });
}

}  // namespace
}  // namespace pcl_attention::test
