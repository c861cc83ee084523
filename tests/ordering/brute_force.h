// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "ordering/hilbert.h"
#include "ordering/keys.h"
#include "pcl_attention/ordering.h"
#include "support/clouds.h"

namespace pcl_attention::test {

/// Returns the rows of a cloud as input of an order: the first three fields are the position, all are values.
struct OrderedCloud {
  std::vector<float> positions;
  OrderInput input;

  explicit OrderedCloud(const FloatCloud& cloud) {
    for (std::size_t i = 0; i < cloud.size(); ++i)
      positions.insert(positions.end(), cloud.row(i), cloud.row(i) + 3);
    input.num_rows = cloud.size();
    input.positions = positions.data();
    input.values = cloud.values.data();
    input.num_channels = cloud.names.size();
  }
  OrderedCloud(const OrderedCloud&) = delete;
  OrderedCloud& operator=(const OrderedCloud&) = delete;
};

/// Returns the keyed rows of an input.
inline std::vector<KeyedRow> keys_of(const OrderInput& input, const CellGrid& grid,
                                     Curve curve = Curve::morton) {
  std::vector<KeyedRow> rows(input.num_rows);
  curve_keys(input, grid, curve, rows.data());
  return rows;
}

/// Returns the Morton key, bit by bit.
inline std::uint64_t key_by_bits(const std::array<std::uint64_t, 3>& cell) {
  std::uint64_t key = 0;
  for (int bit = 20; bit >= 0; --bit)
    for (std::size_t axis = 0; axis < 3; ++axis) key = key << 1 | (cell[axis] >> bit & 1);
  return key;
}

/// Returns the documented order of all rows: std::sort by key, position, values, row.
inline std::vector<std::uint32_t> order_by_sorting(const OrderInput& input,
                                                   const std::optional<FixedGrid>& grid = {},
                                                   Curve curve = Curve::morton) {
  std::array<double, 3> low{};
  double longest = 0.0;
  for (std::size_t axis = 0; axis < 3 && input.num_rows > 0; ++axis) {
    double high = -INFINITY;
    low[axis] = INFINITY;
    for (std::size_t row = 0; row < input.num_rows; ++row) {
      low[axis] = std::min(low[axis], static_cast<double>(input.positions[3 * row + axis]));
      high = std::max(high, static_cast<double>(input.positions[3 * row + axis]));
    }
    longest = std::max(longest, high - low[axis]);
    if (grid) low[axis] = grid->origin[axis] - input.origin[axis];
  }
  const double inverse = grid ? 1.0 / grid->cell : longest > 0.0 ? 2097152.0 / longest : 0.0;

  using Row = std::tuple<std::uint64_t, std::vector<float>, std::vector<float>, std::uint32_t>;
  std::vector<Row> rows;
  for (std::size_t row = 0; row < input.num_rows; ++row) {
    const float* p = input.positions + 3 * row;
    std::array<std::uint64_t, 3> cell;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double index = std::floor((static_cast<double>(p[axis]) - low[axis]) * inverse);
      cell[axis] = static_cast<std::uint64_t>(std::min(index + (grid ? 1048576.0 : 0.0), 2097151.0));
    }
    const float* values = input.values + row * input.num_channels;
    rows.emplace_back(curve == Curve::hilbert ? hilbert_key(cell) : key_by_bits(cell),
                      std::vector<float>(p, p + 3), std::vector<float>(values, values + input.num_channels),
                      static_cast<std::uint32_t>(row));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::uint32_t> order;
  for (const Row& row : rows) order.push_back(std::get<3>(row));
  return order;
}

}  // namespace pcl_attention::test
