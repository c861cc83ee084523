// SPDX-License-Identifier: BSD-3-Clause
#include "simd/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simd/targets.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using simd::kKeyBlock;
using simd::kSlotPanel;
using simd::kTilePoints;

/// φ(x) written out.
std::vector<double> phi(const simd::FeatureMap& map, const std::vector<double>& x) {
  std::vector<double> result;
  if (map.elu) {
    for (double one : x) result.push_back(one > 0.0 ? one + 1.0 : std::exp(one));
    return result;
  }
  for (std::size_t f = 0; f < map.num_pairs(); ++f) {
    const std::size_t d = f % map.width;
    result.push_back(x[d] * x[(d + f / map.width) % map.width]);
  }
  if (map.linear) result.insert(result.end(), x.begin(), x.end());
  if (map.constant) result.push_back(1.0);
  return result;
}

std::vector<double> point(const RandomTile& tile, std::size_t first, std::size_t width, std::size_t p) {
  std::vector<double> x;
  for (std::size_t c = first; c < first + width; ++c) x.push_back(tile.at(c, p));
  return x;
}

std::vector<simd::FeatureMap> maps() {
  std::vector<simd::FeatureMap> result;
  for (std::size_t width : {1U, 2U, 5U, 16U, 17U}) {
    result.push_back({true, false, false, width});
    result.push_back({false, false, false, width});
    result.push_back({false, false, true, width});
    result.push_back({false, true, true, width});
  }
  return result;
}

TEST(FeatureMap, PairsHoldEveryPairOnce) {
  for (std::size_t width : {1U, 2U, 5U, 16U, 17U}) {
    const simd::FeatureMap map{false, false, false, width};
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t f = 0; f < map.num_pairs(); ++f) {
      const std::size_t d = f % width, other = (d + f / width) % width;
      pairs.emplace_back(std::min(d, other), std::max(d, other));
    }
    std::sort(pairs.begin(), pairs.end());
    EXPECT_EQ(std::unique(pairs.begin(), pairs.end()), pairs.end()) << width;
    EXPECT_EQ(pairs.size(), width * (width + 1) / 2);
  }
}

TEST(FeaturePanels, AgreeWithTheFormula) {
  std::uint8_t some[kTilePoints];
  for (std::size_t p = 0; p < kTilePoints; ++p) some[p] = p % 3 != 1;
  on_every_target([&] {
    for (const simd::FeatureMap& map : maps()) {
      const RandomTile x(map.width, 1, 3.0F);
      const std::size_t padded = (map.size() + kSlotPanel - 1) / kSlotPanel * kSlotPanel;
      Buffer<float> scratch, panels;
      scratch.reserve(simd::panel_scratch_size(map));
      panels.reserve(padded * kTilePoints);
      simd::feature_panels(map, x.data(), 191, some, scratch.data(), panels.data());
      for (std::size_t p = 0; p < 191; ++p) {
        std::vector<double> expected = phi(map, point(x, 0, map.width, p)), got;
        expected.resize(padded, 0.0);
        if (some[p] == 0) std::fill(expected.begin(), expected.end(), 0.0);
        for (std::size_t f = 0; f < padded; ++f)
          got.push_back(static_cast<double>(
              panels.data()[(f / kSlotPanel * kTilePoints + p) * kSlotPanel + f % kSlotPanel]));
        ASSERT_LE(relative_l2(got, expected), 1e-6) << map.width;
      }
    }
  });
}

/// Sums of two heads, packed, and the answers that follow from them.
struct Sums {
  Sums(const simd::FeatureMap& of, std::size_t value_width) : map(of) {
    packed.values.heads = 2;
    packed.values.value_width = value_width;
    packed.values.count = map.size();
    packed.values.capacity = (map.size() + kKeyBlock - 1) / kKeyBlock * kKeyBlock;
    packed.values.values = memory.reserve(2 * packed.values.value_size());
    for (std::size_t first = 0; first < map.size(); first += kTilePoints) {
      tiles.emplace_back(2 * value_width, static_cast<std::uint32_t>(first) + 7);
      simd::store_keys(nullptr, tiles.back().data(), nullptr, first,
                       std::min(kTilePoints, map.size() - first), packed.values);
    }
    mass.resize(2 * packed.values.capacity);
    for (std::size_t i = 0; i < mass.size(); ++i) mass[i] = 1.0F + static_cast<float>(i % 5);
    packed.mass = mass.data();
    packed.least = least;
    for (std::size_t f = 0; f < map.size(); ++f) terms.push_back(map.term(f));
    packed.terms = terms.data();
  }
  double value(std::size_t row, std::size_t f) const {
    return tiles[f / kTilePoints].at(row, f % kTilePoints);
  }

  simd::FeatureMap map;
  simd::FeatureSums packed;
  Buffer<float> memory;
  std::vector<RandomTile> tiles;
  std::vector<float> mass;
  std::vector<simd::FeatureTerm> terms;
  float least[2] = {0.0F, 0.0F};
};

TEST(AnswerFeatures, AgreeWithTheFormula) {
  on_every_target([] {
    for (const simd::FeatureMap& map : maps())
      for (std::size_t width : {1U, 9U}) {
        Sums sums(map, width);
        RandomTile q(2 * map.width, 3, 2.0F);
        // Only positive queries keep the denominators of pairs away from 0.
        for (std::size_t i = 0; i < 2 * map.width * kTilePoints; ++i)
          q.data()[i] = std::abs(q.data()[i]) + 0.1F;
        Buffer<float> scratch, out;
        scratch.reserve(simd::answer_scratch_size(map));
        out.reserve(2 * width * kTilePoints);
        EXPECT_EQ(simd::answer_features(map, sums.packed, q.data(), kTilePoints, scratch.data(), out.data()),
                  0U);
        std::vector<double> expected;
        for (std::size_t row = 0; row < 2 * width; ++row)
          for (std::size_t p = 0; p < kTilePoints; ++p) {
            const std::size_t head = row / width;
            const std::vector<double> features = phi(map, point(q, head * map.width, map.width, p));
            double sum = 0.0, denominator = 0.0;
            for (std::size_t f = 0; f < map.size(); ++f) {
              sum += features[f] * sums.value(row, f);
              denominator +=
                  features[f] * static_cast<double>(sums.mass[head * sums.packed.values.capacity + f]);
            }
            expected.push_back(sum / denominator);
          }
        const std::vector<float> got(out.data(), out.data() + expected.size());
        EXPECT_LE(relative_l2(got, expected), 2e-6) << map.width;
      }
  });
}

TEST(AnswerFeatures, SmallDenominatorsGiveZeroAndAreCounted) {
  on_every_target([] {
    const simd::FeatureMap map{false, false, false, 4};
    Sums sums(map, 3);
    sums.least[1] = 1e6F;
    const RandomTile q(8, 3);
    Buffer<float> scratch, out;
    scratch.reserve(simd::answer_scratch_size(map));
    out.reserve(6 * kTilePoints);
    std::fill(sums.mass.begin(), sums.mass.end(), 0.0F);
    for (std::size_t c = 0; c < 4; ++c) sums.mass[c] = sums.mass[sums.packed.values.capacity + c] = 1.0F;
    EXPECT_EQ(simd::answer_features(map, sums.packed, q.data(), 100, scratch.data(), out.data()), 100U);
    for (std::size_t i = 0; i < 3 * kTilePoints; ++i) EXPECT_EQ(out.data()[3 * kTilePoints + i], 0.0F);
  });
}

TEST(AnswerFeatures, LargeAndSmallQueriesStayInRange) {
  on_every_target([] {
    for (const simd::FeatureMap& map : maps()) {
      Sums sums(map, 2);
      for (float size : {1e30F, -1e30F, -200.0F}) {
        if (size == -200.0F && !map.elu) continue;
        RandomTile q(2 * map.width, 3);
        std::fill_n(q.data(), 2 * map.width * kTilePoints, size);
        Buffer<float> scratch, out;
        scratch.reserve(simd::answer_scratch_size(map));
        out.reserve(4 * kTilePoints);
        EXPECT_EQ(simd::answer_features(map, sums.packed, q.data(), kTilePoints, scratch.data(), out.data()),
                  0U);
        for (std::size_t i = 0; i < 4 * kTilePoints; ++i) EXPECT_TRUE(std::isfinite(out.data()[i]));
      }
    }
  });
}

}  // namespace
}  // namespace pcl_attention::test
