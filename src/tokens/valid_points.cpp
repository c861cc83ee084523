// SPDX-License-Identifier: BSD-3-Clause
#include "tokens/valid_points.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

/// Writes the valid points among [begin, end) to `point`.
ValidBlock inspect_block(const CloudView& cloud, const std::vector<TokenColumn>& columns,
                         bool zero_is_invalid, std::size_t begin, std::size_t end, std::uint32_t* point) {
  const std::size_t n = end - begin;
  PointAddresses at;
  for (std::size_t i = 0; i < n; ++i) at[i] = cloud.point(begin + i);

  std::array<std::uint8_t, kGatherBlock> valid;
  valid.fill(1);
  std::array<PointNumbers, 3> coordinates{};
  PointNumbers other;
  for (const TokenColumn& column : columns) {
    if (column.run > 0) {
      for (std::size_t i = 0; i < n; ++i)
        valid[i] &= static_cast<std::uint8_t>(run_is_finite(at[i] + column.offset, column.run));
      continue;
    }
    PointNumbers& numbers = column.axis >= 0 ? coordinates[static_cast<std::size_t>(column.axis)] : other;
    column.read(at.data(), n, column.offset, numbers.data());
    for (std::size_t i = 0; i < n; ++i)
      valid[i] &= static_cast<std::uint8_t>(std::abs(numbers[i] * column.scale) <= column.limit);
  }

  ValidBlock block;
  for (std::size_t i = 0; i < n; ++i) {
    const std::array<double, 3> p{coordinates[0][i], coordinates[1][i], coordinates[2][i]};
    if (!valid[i] || (zero_is_invalid && p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0)) continue;
    point[block.count++] = static_cast<std::uint32_t>(begin + i);
    block.extent.add(p, p);
  }
  return block;
}

}  // namespace

void Extent::add(const std::array<double, 3>& smallest, const std::array<double, 3>& largest) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] = std::min(low[axis], smallest[axis]);
    high[axis] = std::max(high[axis], largest[axis]);
  }
}

Extent find_valid_points(const CloudView& cloud, const std::vector<TokenColumn>& columns,
                         bool zero_is_invalid, std::vector<ValidBlock>& blocks,
                         std::vector<std::uint32_t>& point) {
  const std::size_t n = cloud.num_points();
  blocks.resize((n + kGatherBlock - 1) / kGatherBlock);
  point.reserve(n);
  point.resize(n);
  for_each_block(n, kGatherBlock, [&](std::size_t begin, std::size_t end) {
    blocks[begin / kGatherBlock] =
        inspect_block(cloud, columns, zero_is_invalid, begin, end, point.data() + begin);
  });

  Extent extent;
  std::size_t num_valid = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::uint32_t* source = point.data() + b * kGatherBlock;
    if (num_valid != b * kGatherBlock) std::copy(source, source + blocks[b].count, point.data() + num_valid);
    num_valid += blocks[b].count;
    extent.add(blocks[b].extent.low, blocks[b].extent.high);
  }
  point.resize(num_valid);
  return extent;
}

}  // namespace pcl_attention
