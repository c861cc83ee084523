// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "attention/frame.h"
#include "attention/placement.h"
#include "exec/cuda_description.h"
#include "exec/parallel.h"

namespace pcl_attention {
namespace {

/// Tokens as a frame has them.
struct FrameTokens {
  const TokenRows& rows;
  std::size_t num_ranked = 0;
  const std::uint8_t* keep = nullptr;
};

FrameTokens surface_of(const Frame& frame) { return {frame.surface, frame.num_ranked, frame.keep}; }
FrameTokens queries_of(const Frame& frame) {
  return {*frame.queries, frame.num_ranked_queries, frame.query_keep};
}

/// Returns the channel of x where the values of `channels` numbers hold the positions, −1 elsewhere.
int first_position(const float* values, std::size_t channels, const float* positions, std::size_t stride) {
  for (std::size_t c = 0; c < channels && stride == channels; ++c)
    if (positions == values + c) return static_cast<int>(c);
  return -1;
}

Anchors anchors_of(const ModelConfig& config, const FrameTokens& tokens) {
  std::size_t n = tokens.num_ranked;
  if (tokens.keep != nullptr)
    n -= static_cast<std::size_t>(std::count(tokens.keep, tokens.keep + tokens.num_ranked, std::uint8_t{0}));
  return anchors_of(config, n);
}

cuda::TokenCounts count(const ModelConfig& config, const FrameTokens& tokens, std::size_t padded) {
  cuda::TokenCounts counts;
  counts.n = tokens.rows.n;
  counts.num_ranked = tokens.num_ranked;
  counts.padded = padded;
  counts.has_positions = tokens.rows.positions != nullptr;
  counts.first_position = first_position(tokens.rows.values, config.input.num_channels(),
                                         tokens.rows.positions, tokens.rows.position_stride);
  counts.has_rows = tokens.rows.row != nullptr;
  counts.has_keep = tokens.keep != nullptr;
  if (config.mechanism == Mechanism::anchored) counts.num_anchors = anchors_of(config, tokens).count;
  return counts;
}

template <class T>
void copy(const T* from, std::size_t count, T* to) {
  for_each_block(count, kChunkPoints * 64, [&](std::size_t begin, std::size_t end) {
    std::copy(from + begin, from + end, to + begin);
  });
}

/// Writes every ⌊n/k⌋-th rank of those that take part.
void stage_anchors(const ModelConfig& config, const FrameTokens& tokens, std::uint32_t* to) {
  const Anchors anchors = anchors_of(config, tokens);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < tokens.num_ranked && seen < anchors.count * anchors.stride; ++i) {
    if (tokens.keep != nullptr && tokens.keep[i] == 0) continue;
    if (seen % anchors.stride == 0) to[seen / anchors.stride] = static_cast<std::uint32_t>(i);
    ++seen;
  }
}

void copy_positions(const float* from, std::size_t stride, std::size_t count, float* to) {
  for_each_block(count, kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::copy_n(from + i * stride, 3, to + 3 * i);
  });
}

void stage(const ModelConfig& config, const FrameTokens& tokens, const cuda::TokenStaging& staging) {
  const TokenRows& rows = tokens.rows;
  copy(rows.values, rows.n * config.input.num_channels(), staging.values);
  if (staging.row != nullptr) copy(rows.row, rows.n, staging.row);
  if (staging.keep != nullptr) copy(tokens.keep, rows.n, staging.keep);
  if (staging.anchor != nullptr) stage_anchors(config, tokens, staging.anchor);
  if (staging.positions != nullptr)
    copy_positions(rows.positions, rows.position_stride, rows.n, staging.positions);
}

/// A run is one column for each of its numbers.
void add_columns(const TokenColumn& column, std::vector<gpu::PointColumn>& columns) {
  gpu::PointColumn one;
  one.type = column.type;
  one.channel = column.channel;
  one.axis = column.axis;
  one.offset = column.offset;
  one.scale = column.scale;
  one.limit = column.run > 0 ? static_cast<double>(std::numeric_limits<float>::max()) : column.limit;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, column.run); ++i) {
    columns.push_back(one);
    ++one.channel;
    one.offset += sizeof(float);
  }
}

}  // namespace

cuda::FrameDescription describe_frame(const ModelConfig& config, const Frame& frame) {
  cuda::FrameDescription result;
  result.surface = count(config, surface_of(frame), num_padded(config, frame));
  result.has_queries = frame.queries != nullptr;
  if (result.has_queries) {
    const FrameTokens queries = queries_of(frame);
    result.queries =
        count(config, queries, config.decoder ? num_padded(config, frame, queries.num_ranked) : 0);
  }
  if (frame.surface.positions != nullptr) result.position_channels = frame.position_channels;
  result.resample = frame.length_policy == LengthPolicy::resample;
  result.num_answers = frame.num_answers;
  result.has_asked = frame.answer_rank != nullptr;
  return result;
}

cuda::PointsDescription describe_points(const DeviceCloud& cloud, float* rows) {
  const CloudView& surface = cloud.input.surface;
  cuda::PointsDescription points;
  points.data = reinterpret_cast<const unsigned char*>(surface.data);
  points.width = surface.width;
  points.point_step = surface.point_step;
  points.row_step = surface.row_step != 0 ? surface.row_step : surface.width * surface.point_step;
  points.n = surface.num_points();
  points.mask = cloud.input.key_mask;
  points.zero_is_invalid = cloud.gathering.zero_is_invalid;
  points.rows = rows;
  for (const TokenColumn& column : cloud.columns) add_columns(column, points.columns);
  return points;
}

cuda::TokenCounts count(const OrderInput& input) {
  cuda::TokenCounts tokens;
  tokens.n = input.num_rows;
  tokens.has_positions = true;
  tokens.first_position =
      first_position(input.values, input.num_channels, input.positions, input.position_stride);
  tokens.has_keep = input.keep != nullptr;
  return tokens;
}

cuda::OrderDescription describe_order(const cuda::TokenCounts& tokens, const CellGrid& cells, Curve curve,
                                      std::uint64_t differing) {
  cuda::OrderDescription order;
  order.tokens = tokens;
  order.low = cells.low;
  order.inverse = cells.inverse;
  order.first = cells.first;
  order.hilbert = curve == Curve::hilbert;
  order.bits.end = 0;
  for (std::uint64_t bits = differing; bits != 0; bits >>= 1) ++order.bits.end;
  while (order.bits.first < order.bits.end && (differing >> order.bits.first & 1) == 0) ++order.bits.first;
  if (order.bits.end == 0) order.bits.end = 1;  // all keys are equal
  return order;
}

void stage(const OrderInput& input, const cuda::TokenStaging& staging) {
  copy(input.values, input.num_rows * input.num_channels, staging.values);
  if (staging.keep != nullptr) copy(input.keep, input.num_rows, staging.keep);
  if (staging.positions != nullptr)
    copy_positions(input.positions, input.position_stride, input.num_rows, staging.positions);
}

void stage(const ModelConfig& config, const Frame& frame, const cuda::FrameStaging& staging) {
  stage(config, surface_of(frame), staging.surface);
  if (frame.queries != nullptr) stage(config, queries_of(frame), staging.queries);
  if (staging.asked != nullptr) copy(frame.answer_rank, frame.num_answers, staging.asked);
  std::copy(frame.placement.centre.begin(), frame.placement.centre.end(), staging.placement);
  staging.placement[3] = frame.placement.inverse_scale;
}

}  // namespace pcl_attention
