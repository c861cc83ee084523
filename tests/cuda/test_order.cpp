// SPDX-License-Identifier: BSD-3-Clause
// The canonical order bit for bit as src/ordering has it; the sort by key between the kernels is
// std::stable_sort.
#include "kernels/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "attention/placement.h"
#include "cuda/kernel_test.h"
#include "exec/parallel.h"
#include "ordering/keys.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention::test {
namespace {

/// Rows of positions with a stride, attributes, and some that are not kept.
struct OrderedCloud {
  OrderedCloud(std::size_t n, std::uint32_t seed, std::uint32_t distinct)
      : values(random_numbers(n * 2, seed)) {
    std::mt19937 generator(seed);
    const Numbers places = random_numbers(3 * distinct, seed + 1, 30.0F);
    keep = random_mask(n, seed + 2);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = generator() % distinct;
      for (std::size_t axis = 0; axis < 3; ++axis) positions.push_back(places[3 * place + axis]);
      positions.push_back(kUnset);
      if (generator() % 3 == 0) values[2 * i] = values[2 * i + 1] = 0.0F;
      if (generator() % 7 == 0) positions[4 * i] = generator() % 2 == 0 ? 0.0F : -0.0F;
    }
  }

  OrderInput input(bool masked) const {
    OrderInput result;
    result.num_rows = keep.size();
    result.positions = positions.data();
    result.position_stride = 4;
    result.values = values.data();
    result.num_channels = 2;
    if (masked) result.keep = keep.data();
    result.origin = {0.5, -1.0, 2.0};
    return result;
  }

  Numbers values, positions;
  std::vector<std::uint8_t> keep;
};

gpu::Cells cells_of(const CellGrid& grid) {
  return {{grid.low[0], grid.low[1], grid.low[2]}, grid.inverse, grid.first};
}

/// Sorts rows by key, as radix sort on the GPU does.
void sort_by_key(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::sort(keys.begin(), keys.end());
}

struct GpuOrder {
  std::vector<std::uint32_t> row_of_rank;
  gpu::TieCounts ties;
};

GpuOrder gpu_order(const OrderInput& input, const CellGrid& grid, bool hilbert) {
  const std::size_t n = input.num_rows;
  std::vector<std::uint64_t> keys(n);
  std::vector<std::uint32_t> rows(n), other(n);
  gpu::CurveKeys curve;
  curve.cells = cells_of(grid);
  curve.positions = input.positions;
  curve.stride = input.position_stride;
  curve.keep = input.keep;
  curve.n = n;
  curve.hilbert = hilbert;
  curve.keys = keys.data();
  curve.rows = rows.data();
  gpu::curve_keys(curve, nullptr);
  sort_by_key(keys, rows);
  GpuOrder order;
  gpu::find_ties({keys.data(), n}, &order.ties, nullptr);
  gpu::MergeTies merge;
  merge.sorted = {keys.data(), n};
  merge.positions = input.positions;
  merge.stride = input.position_stride;
  merge.values = input.values;
  merge.num_channels = static_cast<std::uint32_t>(input.num_channels);
  for (merge.width = 1; merge.width < order.ties.longest; merge.width *= 2) {
    merge.from = rows.data();
    merge.to = other.data();
    gpu::merge_ties(merge, nullptr);
    rows.swap(other);
  }
  order.row_of_rank = rows;
  return order;
}

void expect_order(const OrderedCloud& cloud, bool masked, Curve curve,
                  const std::optional<FixedGrid>& fixed) {
  const OrderInput input = cloud.input(masked);
  const Order expected = canonical_order(input, curve, fixed, 1);
  const CellGrid grid = cell_grid(kept_box(input), input.origin, fixed);
  const GpuOrder order = gpu_order(input, grid, curve == Curve::hilbert);
  EXPECT_EQ(order.row_of_rank, expected.row_of_rank) << input.num_rows;
  EXPECT_EQ(order.ties.ties, expected.diagnostics.ties);
  EXPECT_EQ(order.ties.longest_kept, expected.diagnostics.longest_tie_run);
}

TEST(Order, IsThatOfTheCpu) {
  on_every_schedule([] {
    for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 257U, 2000U})
      for (const Curve curve : {Curve::morton, Curve::hilbert}) {
        const OrderedCloud cloud(n, static_cast<std::uint32_t>(n), 1 + static_cast<std::uint32_t>(n) / 2);
        expect_order(cloud, false, curve, {});
        expect_order(cloud, true, curve, FixedGrid{{1.0, 2.0, 3.0}, 0.5});
      }
  });
}

TEST(Order, LongRunsOfOneKeyAreSorted) {
  on_every_schedule([] {
    for (const std::uint32_t distinct : {1U, 3U, 700U}) {
      const OrderedCloud cloud(900, distinct, distinct);
      expect_order(cloud, true, Curve::morton, FixedGrid{{0.0, 0.0, 0.0}, 1e6});
      expect_order(cloud, false, Curve::hilbert, FixedGrid{{0.0, 0.0, 0.0}, 20.0});
    }
  });
}

/// The cloud's rows as the kernels and as the CPU sum them up.
struct PlacedCloud {
  explicit PlacedCloud(std::size_t n) : cloud(n, 4, 1 + static_cast<std::uint32_t>(n)), row(n) {
    for (std::size_t i = 0; i < n; ++i) cloud.positions[4 * i + 1] = 0.1F;  // an axis without extent
    for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>((i * 7 + 3) % n);
    const OrderInput input = cloud.input(n == 33);
    rows.positions = tokens.positions = input.positions;
    rows.stride = tokens.position_stride = input.position_stride;
    rows.keep = input.keep;
    rows.n = tokens.n = n;
    if (n != 33 && n % 7 != 0) rows.row = tokens.row = row.data();
    rows.scratch = scratch.data();
  }

  OrderedCloud cloud;
  std::vector<std::uint32_t> row;
  std::vector<double> scratch = std::vector<double>(gpu::kMomentScratch, std::nan(""));
  gpu::KeptRows rows;
  TokenRows tokens;
};

constexpr std::size_t kPlacedSizes[] = {0, 1, 33, 257, 1500, 70001};

TEST(SpreadOfRows, IsTheBoxOfTheAnchors) {
  on_every_schedule([] {
    for (const std::size_t n : kPlacedSizes) {
      const PlacedCloud placed(n);
      Numbers box(6, kUnset);
      gpu::spread_of_rows(placed.rows, box.data(), nullptr);
      const AnchorBox expected = anchor_box(placed.tokens, placed.rows.keep);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(number(box[axis]), expected.low[axis], 1e-6 * std::abs(expected.low[axis]));
        EXPECT_NEAR(number(box[3 + axis]), expected.high[axis], 1e-6 * std::abs(expected.high[axis]));
      }
      EXPECT_EQ(box[1], box[4]);
    }
  });
}

TEST(PlacementOfRows, IsThatOfTheCpu) {
  on_every_schedule([] {
    for (const std::size_t n : kPlacedSizes)
      for (const bool sphere : {false, true}) {
        const PlacedCloud placed(n);
        std::vector<double> placement(4, std::nan(""));
        gpu::placement_of_rows(placed.rows, sphere, placement.data(), nullptr);
        InputSpec input;
        input.normalization = sphere ? Normalization::unit_sphere : Normalization::centred;
        const Placement expected = make_placement(input, placed.tokens, placed.rows.keep, {});
        for (std::size_t axis = 0; axis < 3; ++axis)
          EXPECT_NEAR(placement[axis], expected.centre[axis], 1e-12) << n;
        EXPECT_NEAR(placement[3], expected.inverse_scale, 1e-12 * expected.inverse_scale) << n;
      }
  });
}

}  // namespace
}  // namespace pcl_attention::test
