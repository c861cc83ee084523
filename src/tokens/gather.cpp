// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "exec/parallel.h"
#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"
#include "tokens/column.h"
#include "tokens/coordinate_step.h"

namespace pcl_attention {
namespace {

constexpr std::size_t block_size = 1024;
constexpr double infinity = std::numeric_limits<double>::infinity();

using Addresses = std::array<const std::byte*, block_size>;
using Numbers = std::array<double, block_size>;

/// Smallest and largest coordinate per axis.
struct Extent {
  std::array<double, 3> low{infinity, infinity, infinity};
  std::array<double, 3> high{-infinity, -infinity, -infinity};

  void add(const Extent& other) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], other.low[axis]);
      high[axis] = std::max(high[axis], other.high[axis]);
    }
  }
};

/// What the first pass finds out about a block of points.
struct BlockSummary {
  std::size_t num_valid = 0;
  Extent extent;
};

/// Writes the indices of the valid points among [begin, end) to `point`.
BlockSummary inspect_block(const CloudView& cloud, const std::vector<TokenColumn>& columns,
                           bool zero_is_invalid, std::size_t begin, std::size_t end, std::uint32_t* point) {
  const std::size_t n = end - begin;
  Addresses at;
  for (std::size_t i = 0; i < n; ++i) at[i] = cloud.point(begin + i);

  std::array<std::uint8_t, block_size> valid;
  valid.fill(1);
  std::array<Numbers, 3> coordinates{};
  Numbers other;
  for (const TokenColumn& column : columns) {
    Numbers& numbers = column.axis >= 0 ? coordinates[static_cast<std::size_t>(column.axis)] : other;
    column.read(at.data(), n, column.offset, numbers.data());
    for (std::size_t i = 0; i < n; ++i)
      valid[i] &= static_cast<std::uint8_t>(std::abs(numbers[i] * column.scale) <= column.limit);
  }

  BlockSummary summary;
  for (std::size_t i = 0; i < n; ++i) {
    const std::array<double, 3> p{coordinates[0][i], coordinates[1][i], coordinates[2][i]};
    if (!valid[i] || (zero_is_invalid && p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0)) continue;
    point[summary.num_valid++] = static_cast<std::uint32_t>(begin + i);
    summary.extent.add({p, p});
  }
  return summary;
}

/// First pass: fills tokens.point and returns the extent of the valid points.
Extent find_valid_points(const CloudView& cloud, const std::vector<TokenColumn>& columns,
                         bool zero_is_invalid, Tokens& tokens) {
  const std::size_t n = tokens.num_points;
  std::vector<BlockSummary> blocks((n + block_size - 1) / block_size);
  tokens.point.resize(n);
  for_each_block(n, block_size, [&](std::size_t begin, std::size_t end) {
    blocks[begin / block_size] =
        inspect_block(cloud, columns, zero_is_invalid, begin, end, tokens.point.data() + begin);
  });

  Extent extent;
  std::size_t num_valid = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::uint32_t* source = tokens.point.data() + b * block_size;
    if (num_valid != b * block_size)
      std::copy(source, source + blocks[b].num_valid, tokens.point.data() + num_valid);
    num_valid += blocks[b].num_valid;
    extent.add(blocks[b].extent);
  }
  tokens.point.resize(num_valid);
  return extent;
}

std::array<double, 3> choose_origin(const InputSpec& input, const GatherOptions& options,
                                    const Extent& extent) {
  if (options.origin) return *options.origin;
  std::array<double, 3> origin{};
  const bool relative =
      input.normalization == Normalization::centred || input.normalization == Normalization::unit_sphere;
  for (std::size_t axis = 0; relative && axis < 3; ++axis)
    if (extent.low[axis] != infinity) origin[axis] = extent.low[axis] + 0.0;  // −0 becomes +0
  return origin;
}

double largest_step(const std::vector<TokenColumn>& columns, const Extent& extent, const Tokens& tokens) {
  double step = 0.0;
  for (const TokenColumn& column : columns) {
    if (column.axis < 0 || tokens.size() == 0) continue;
    const auto axis = static_cast<std::size_t>(column.axis);
    const double low = extent.low[axis], high = extent.high[axis], origin = tokens.origin[axis];
    const double stored = std::max(std::abs(low), std::abs(high));
    const double kept = std::max(std::abs(low - origin), std::abs(high - origin));
    step = std::max(step, coordinate_step(column.type, stored, kept));
  }
  return step;
}

/// Writes out[i · stride] = (numbers[i] − shift) · scale, −0 as +0.
void store(const Numbers& numbers, std::size_t n, double shift, double scale, float* out,
           std::size_t stride) {
  for (std::size_t i = 0; i < n; ++i)
    out[i * stride] = static_cast<float>((numbers[i] - shift) * scale) + 0.0F;
}

/// Second pass: fills values and positions of the tokens in tokens.point.
void read_tokens(const CloudView& cloud, const std::vector<TokenColumn>& columns, Tokens& tokens) {
  for_each_block(tokens.size(), block_size, [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin, d = tokens.num_channels;
    Addresses at;
    for (std::size_t i = 0; i < n; ++i) at[i] = cloud.point(tokens.point[begin + i]);
    Numbers numbers;
    for (const TokenColumn& column : columns) {
      column.read(at.data(), n, column.offset, numbers.data());
      const auto axis = static_cast<std::size_t>(column.axis),
                 channel = static_cast<std::size_t>(column.channel);
      const double shift = column.axis >= 0 ? tokens.origin[axis] : 0.0;
      if (column.channel >= 0)
        store(numbers, n, shift, column.scale, tokens.values.data() + begin * d + channel, d);
      if (column.axis >= 0 && !tokens.positions.empty())
        store(numbers, n, shift, column.scale, tokens.positions.data() + begin * 3 + axis, 3);
    }
  });
}

void check_arguments(const CloudView& cloud, const GatherOptions& options) {
  cloud.check();
  if (cloud.num_points() > std::numeric_limits<std::uint32_t>::max())
    throw CloudError("cloud: " + std::to_string(cloud.num_points()) +
                     " points, at most 2^32 - 1 can be read");
  for (std::size_t axis = 0; options.origin && axis < 3; ++axis)
    if (!(std::abs((*options.origin)[axis]) <= std::numeric_limits<float>::max() / 2))
      throw std::invalid_argument("gather: the origin is not finite or too large for float32");
}

}  // namespace

std::size_t InputSpec::num_channels() const {
  std::size_t sum = 0;
  for (const InputField& field : fields) sum += field.channels;
  return sum;
}

Tokens gather(const CloudView& cloud, const InputSpec& input, const GatherOptions& options) {
  check_arguments(cloud, options);
  const std::vector<TokenColumn> columns = token_columns(cloud, input, options);

  Tokens tokens;
  tokens.num_points = cloud.num_points();
  tokens.num_channels = input.num_channels();
  for (const TokenColumn& column : columns)
    if (column.axis >= 0 && column.channel >= 0)
      tokens.position_channels[static_cast<std::size_t>(column.axis)] = column.channel;

  with_threads(options.num_threads, [&] {
    const Extent extent = find_valid_points(cloud, columns, options.zero_is_invalid, tokens);
    tokens.origin = choose_origin(input, options, extent);
    tokens.coordinate_step = largest_step(columns, extent, tokens);
    tokens.values.resize(tokens.size() * tokens.num_channels);
    if (options.positions) tokens.positions.resize(tokens.size() * 3);
    read_tokens(cloud, columns, tokens);
  });
  return tokens;
}

}  // namespace pcl_attention
