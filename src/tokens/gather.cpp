// SPDX-License-Identifier: BSD-3-Clause
#include "tokens/gather.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "exec/parallel.h"
#include "pcl_attention/error.h"
#include "pcl_attention/neighbourhood.h"
#include "tokens/coordinate_step.h"

namespace pcl_attention {
namespace {

/// Writes out[i · stride] = (numbers[i] − shift) · scale, −0 as +0.
void store(const PointNumbers& numbers, std::size_t n, double shift, double scale, float* out,
           std::size_t stride) {
  for (std::size_t i = 0; i < n; ++i)
    out[i * stride] = static_cast<float>((numbers[i] - shift) * scale) + 0.0F;
}

/// Resizes without the spare room that std::vector adds.
void make_room(std::size_t size, std::vector<float>& numbers) {
  numbers.reserve(size);
  numbers.resize(size);
}

bool names_neighbourhood(const InputSpec& input) {
  return std::any_of(input.fields.begin(), input.fields.end(),
                     [](const InputField& field) { return is_neighbourhood_field(field.name); });
}

/// Second pass: fills values and positions of the tokens in tokens.point.
/// @param leaves_channels  true if some channels have no column: they become 0
void read_tokens(const CloudView& cloud, const std::vector<TokenColumn>& columns, bool leaves_channels,
                 Tokens& tokens) {
  for_each_block(tokens.size(), kGatherBlock, [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin, d = tokens.num_channels;
    PointAddresses at;
    for (std::size_t i = 0; i < n; ++i) at[i] = cloud.point(tokens.point[begin + i]);
    PointNumbers numbers;
    if (leaves_channels) std::fill_n(tokens.values.data() + begin * d, n * d, 0.0F);
    for (const TokenColumn& column : columns) {
      if (column.run > 0) {
        float* out = tokens.values.data() + begin * d + static_cast<std::size_t>(column.channel);
        for (std::size_t i = 0; i < n; ++i) copy_run(at[i] + column.offset, column.run, out + i * d);
        continue;
      }
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

}  // namespace

std::size_t InputSpec::num_channels() const {
  std::size_t sum = 0;
  for (const InputField& field : fields) sum += field.channels;
  return sum;
}

void check_gathering(const CloudView& cloud, const GatherOptions& options) {
  cloud.check();
  if (cloud.num_points() > std::numeric_limits<std::uint32_t>::max())
    throw CloudError("cloud: " + std::to_string(cloud.num_points()) +
                     " points, at most 2^32 - 1 can be read");
  for (std::size_t axis = 0; options.origin && axis < 3; ++axis)
    if (!(std::abs((*options.origin)[axis]) <= std::numeric_limits<float>::max() / 2))
      throw std::invalid_argument("gather: the origin is not finite or too large for float32");
}

std::array<int, 3> position_channels(const std::vector<TokenColumn>& columns) {
  std::array<int, 3> channels{-1, -1, -1};
  for (const TokenColumn& column : columns)
    if (column.axis >= 0 && column.channel >= 0)
      channels[static_cast<std::size_t>(column.axis)] = column.channel;
  return channels;
}

std::array<double, 3> choose_origin(const InputSpec& input, const GatherOptions& options,
                                    const Extent& extent) {
  if (options.origin) return *options.origin;
  std::array<double, 3> origin{};
  const bool relative =
      input.normalization == Normalization::centred || input.normalization == Normalization::unit_sphere;
  for (std::size_t axis = 0; relative && axis < 3; ++axis)
    if (extent.low[axis] <= extent.high[axis]) origin[axis] = extent.low[axis] + 0.0;  // −0 becomes +0
  return origin;
}

double largest_step(const std::vector<TokenColumn>& columns, const Extent& extent,
                    const std::array<double, 3>& origins) {
  double step = 0.0;
  for (const TokenColumn& column : columns) {
    if (column.axis < 0 || extent.low[0] > extent.high[0]) continue;
    const auto axis = static_cast<std::size_t>(column.axis);
    const double low = extent.low[axis], high = extent.high[axis], origin = origins[axis];
    const double stored = std::max(std::abs(low), std::abs(high));
    const double kept = std::max(std::abs(low - origin), std::abs(high - origin));
    step = std::max(step, coordinate_step(column.type, stored, kept));
  }
  return step;
}

void gather(const CloudView& cloud, const InputSpec& input, const GatherOptions& options,
            GatherWorkspace& workspace, Tokens& tokens) {
  check_gathering(cloud, options);
  token_columns(cloud, input, options, workspace.columns);
  tokens.num_points = cloud.num_points();
  tokens.num_channels = input.num_channels();
  tokens.position_channels = position_channels(workspace.columns);
  const Extent extent =
      find_valid_points(cloud, workspace.columns, options.zero_is_invalid, workspace.blocks, tokens.point);
  tokens.origin = choose_origin(input, options, extent);
  tokens.coordinate_step = largest_step(workspace.columns, extent, tokens.origin);
  make_room(tokens.size() * tokens.num_channels, tokens.values);
  make_room(options.positions ? tokens.size() * 3 : 0, tokens.positions);
  read_tokens(cloud, workspace.columns, names_neighbourhood(input), tokens);
}

Tokens gather(const CloudView& cloud, const InputSpec& input, const GatherOptions& options) {
  Tokens tokens;
  GatherWorkspace workspace;
  with_threads(options.num_threads, [&] { gather(cloud, input, options, workspace, tokens); });
  return tokens;
}

}  // namespace pcl_attention
