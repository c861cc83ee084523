// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "simd/targets.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using simd::kSlotPanel;
using simd::kTilePoints;

double panel(const float* panels, std::size_t p, std::size_t slot) {
  return static_cast<double>(panels[(slot / kSlotPanel * kTilePoints + p) * kSlotPanel + slot % kSlotPanel]);
}

TEST(Accumulate, AgreesWithLoopsInDouble) {
  on_every_target([] {
    for (std::size_t channels : {1U, 4U, 8U, 9U, 65U})
      for (std::size_t count : {0U, 1U, 100U, 192U})
        for (std::size_t slots : {1U, 72U, 96U}) {
          const std::size_t padded = simd::padded_slots(slots);
          const RandomTile x(channels, 1), e(padded, 2);
          std::vector<double> sums((channels + 1) * padded, 0.25), expected = sums;
          simd::accumulate(x.data(), channels, count, e.data(), slots, sums.data(),
                           sums.data() + channels * padded);
          for (std::size_t c = 0; c <= channels; ++c)
            for (std::size_t j = 0; j < padded; ++j) {
              double& sum = expected[c * padded + j];
              for (std::size_t p = 0; p < count; ++p)
                sum += (c < channels ? x.at(c, p) : 1.0) * panel(e.data(), p, j);
              if (j >= slots) sum = sums[c * padded + j] = 0.0;  // padding
            }
          EXPECT_LE(relative_l2(sums, expected), 1e-6) << channels << ' ' << count << ' ' << slots;
        }
  });
}

TEST(Panels, BlendTwoRowsAndLeaveMissingOnesZero) {
  on_every_target([] {
    const RandomTile stored(64, 3);
    const float *low[kTilePoints], *high[kTilePoints];
    float weight[kTilePoints];
    for (std::size_t p = 0; p < kTilePoints; ++p) {
      low[p] = p == 7 ? nullptr : stored.data() + simd::panel_row(p);
      high[p] = stored.data() + simd::panel_row((p + 1) % kTilePoints);
      weight[p] = static_cast<float>(p) / 192.0F;
    }
    Buffer<float> panels;
    panels.reserve(64 * kTilePoints);
    simd::blend_panels(low, high, weight, 0.5F, kTilePoints, 64, panels.data());
    for (std::size_t p = 0; p < kTilePoints; ++p)
      for (std::size_t j = 0; j < 64; ++j) {
        const double w = static_cast<double>(weight[p]);
        const double blended =
            (1 - w) * panel(stored.data(), p, j) + w * panel(stored.data(), (p + 1) % kTilePoints, j);
        ASSERT_NEAR(panel(panels.data(), p, j), p == 7 ? 0.0 : 0.5 * blended, 1e-6);
      }
  });
}

TEST(Panels, ProductsOfAxesSumToOne) {
  on_every_target([] {
    const RandomTile position(3, 4);
    const std::size_t size[3] = {3, 4, 5};
    const float anchors[5] = {-0.8F, -0.3F, 0.1F, 0.4F, 0.9F};
    Buffer<float> weights, scratch, panels;
    weights.reserve(12 * kTilePoints);
    scratch.reserve(64 * kTilePoints);
    panels.reserve(64 * kTilePoints);
    const float* of_axis[3];
    std::size_t row = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float* at = weights.data() + row * kTilePoints;
      simd::anchor_weights(position.data() + axis * kTilePoints, anchors, size[axis], -7.0F, at);
      of_axis[axis] = at;
      row += size[axis];
    }
    simd::product_panels(of_axis, size, 64, scratch.data(), panels.data());
    for (std::size_t p = 0; p < kTilePoints; ++p) {
      double sum = 0.0, total = 0.0;
      std::vector<double> expected;
      for (std::size_t j = 0; j < 60; ++j) {
        const std::size_t index[3] = {j / 20, j / 5 % 4, j % 5};
        double squared = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          squared += std::pow(position.at(axis, p) - static_cast<double>(anchors[index[axis]]), 2);
        expected.push_back(std::exp2(-7.0 * squared));
        total += expected.back();
      }
      for (std::size_t j = 0; j < 60; ++j) {
        ASSERT_NEAR(panel(panels.data(), p, j), expected[j] / total, 1e-6);
        sum += panel(panels.data(), p, j);
      }
      ASSERT_NEAR(sum, 1.0, 1e-6);
      for (std::size_t j = 60; j < 64; ++j) ASSERT_EQ(panel(panels.data(), p, j), 0.0);
    }
  });
}

TEST(Panels, SoftmaxOfScoresAgreesWithLoopsInDouble) {
  on_every_target([] {
    for (const std::size_t count : {1U, 7U, 32U, 45U}) {
      const std::size_t padded = (count + 31) / 32 * 32;
      const RandomTile position(3, 4, 2.0F), anchors(3, 5);
      const float factor[3] = {-7.0F, 0.0F, -31.0F};
      Buffer<float> scores, panels;
      scores.reserve(padded * kTilePoints);
      panels.reserve(padded * kTilePoints);
      simd::anchor_scores(position.data(), anchors.data(), count, factor, scores.data());
      const auto score = [&](std::size_t p, std::size_t j) {
        double sum = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          sum += static_cast<double>(factor[axis]) *
                 std::pow(position.at(axis, p) - static_cast<double>(anchors.data()[axis * count + j]), 2);
        return sum;
      };
      for (std::size_t p = 0; p < kTilePoints; ++p)
        for (std::size_t j = 0; j < count; ++j) {
          const double expected = score(p, j);
          ASSERT_NEAR(static_cast<double>(scores.data()[j * kTilePoints + p]), expected, 4e-7 * -expected);
        }
      simd::softmax_panels(scores.data(), count, padded, panels.data());
      for (std::size_t p = 0; p < kTilePoints; ++p) {
        double largest = score(p, 0), total = 0.0;
        for (std::size_t j = 0; j < count; ++j) largest = std::max(largest, score(p, j));
        for (std::size_t j = 0; j < count; ++j) total += std::exp2(score(p, j) - largest);
        for (std::size_t j = 0; j < padded; ++j)
          ASSERT_NEAR(panel(panels.data(), p, j), j < count ? std::exp2(score(p, j) - largest) / total : 0.0,
                      2e-5);
      }
    }
  });
}

TEST(Panels, TurnedAnglesAreSums) {
  on_every_target([] {
    const std::size_t padded = 64;
    const RandomTile angles(padded, 3, 3.0F);
    Buffer<float> cosines, sines, panels;
    for (Buffer<float>* one : {&cosines, &sines, &panels}) one->reserve(padded * kTilePoints);
    alignas(64) float cosine[padded], sine[padded];
    for (std::size_t j = 0; j < padded; ++j) {
      cosine[j] = std::cos(0.37F * static_cast<float>(j));
      sine[j] = std::sin(0.37F * static_cast<float>(j));
      for (std::size_t p = 0; p < kTilePoints; ++p) {
        cosines.data()[simd::panel_row(p) + simd::panel_slot(j)] =
            static_cast<float>(std::cos(angles.at(j, p)));
        sines.data()[simd::panel_row(p) + simd::panel_slot(j)] =
            static_cast<float>(std::sin(angles.at(j, p)));
      }
    }
    panels.data()[simd::panel_row(77)] = 5.0F;
    simd::turn_panels(cosines.data(), sines.data(), cosine, sine, 77, padded, panels.data());
    for (std::size_t p = 0; p < 77; ++p)
      for (std::size_t j = 0; j < padded; ++j)
        ASSERT_NEAR(panel(panels.data(), p, j),
                    std::cos(angles.at(j, p) + static_cast<double>(0.37F * static_cast<float>(j))), 3e-7);
    EXPECT_EQ(panel(panels.data(), 77, 0), 5.0);
  });
}

TEST(StoreRows, PutsPointsIntoTheirRows) {
  on_every_target([] {
    for (std::size_t channels : {1U, 3U, 4U, 6U, 65U})
      for (std::size_t count : {0U, 1U, 5U, 192U}) {
        const RandomTile x(channels, 1);
        std::vector<std::uint32_t> row(count);
        for (std::size_t p = 0; p < count; ++p) row[p] = static_cast<std::uint32_t>(count - 1 - p);
        std::vector<float> out(channels * count);
        std::vector<double> doubles(channels * count);
        simd::store_rows(x.data(), channels, count, row.data(), out.data());
        simd::store_rows(x.data(), channels, count, row.data(), doubles.data());
        for (std::size_t p = 0; p < count; ++p)
          for (std::size_t c = 0; c < channels; ++c) {
            ASSERT_EQ(static_cast<double>(out[row[p] * channels + c]), x.at(c, p));
            ASSERT_EQ(doubles[row[p] * channels + c], x.at(c, p));
          }
      }
  });
}

}  // namespace
}  // namespace pcl_attention::test
