// SPDX-License-Identifier: BSD-3-Clause
#include "attention/frame_builder.h"

#include <cmath>
#include <stdexcept>

#include "attention/frame.h"
#include "attention/placement.h"
#include "attention/stopwatch.h"
#include "ordering/order.h"
#include "pcl_attention/error.h"

namespace pcl_attention {

FrameBuilder::FrameBuilder(const ModelConfig& config, const EncoderOptions& options, Engine& engine)
    : config_(config), options_(options), engine_(engine), neighbourhood_(config.input) {
  if (config.mechanism == Mechanism::anchored && curve() == Curve::none)
    throw std::invalid_argument(
        "the model is anchored: its anchors are points along a canonical order, and order none has none");
  if (neighbourhood_.is_needed() && curve() == Curve::none)
    throw std::invalid_argument("the model has neighbourhood fields, which need a canonical order, not none");
  gathering_.field_names = options.field_names;
  gathering_.zero_is_invalid = options.zero_is_invalid;
  if (options.grid && curve() != Curve::none) gathering_.origin = options.grid->origin;
  if (needs_positions(config, curve())) {
    surface_.first_position = queries_.first_position = first_position_channel(config.input);
    gathering_.positions = surface_.first_position < 0;
  }
  query_gathering_ = gathering_;
}

Frame FrameBuilder::build(const EncodeInput& input, StageSeconds& seconds) {
  if (input.query_mask != nullptr && (!config_.decoder || input.queries == nullptr))
    throw std::invalid_argument("encode: query_mask is for the queries of a decoder");
  const std::array<double, 3> sensor_origin = input.sensor_origin.value_or(options_.sensor_origin);
  for (const double coordinate : sensor_origin)
    if (!std::isfinite(coordinate)) throw std::invalid_argument("encode: sensor_origin is not finite");
  Stopwatch watch;
  gather(input.surface, config_.input, gathering_, workspace_, surface_.tokens);
  seconds.gather += watch.lap();
  order_surface(curve(), options_.grid, input.key_mask, engine_, surface_);
  seconds.order += watch.lap();
  if (neighbourhood_.is_needed()) neighbourhood_.describe(sensor_origin, surface_);
  seconds.neighbourhood += watch.lap();
  Frame frame = of_surface();
  add_answers(input, frame);
  if (frame.num_answers != 0) check_frame(config_, frame);
  seconds.order += watch.lap();
  return frame;
}

Frame FrameBuilder::of_surface() const {
  Frame frame;
  frame.surface = surface_.rows();
  frame.keep = surface_.keep_or_null();
  frame.num_ranked = surface_.num_ranked;
  frame.placement = make_placement(config_.input, frame.surface, frame.keep, surface_.tokens.origin);
  frame.position_channels = surface_.tokens.position_channels;
  frame.length_policy = length_policy();
  frame.num_threads = options_.num_threads;
  return frame;
}

DeviceCloud FrameBuilder::on_device(const DeviceInput& input) {
  if (config_.decoder)
    throw std::invalid_argument("encode_on_device: the model is a decoder; encode() takes its queries");
  if (neighbourhood_.is_needed())
    throw std::invalid_argument(
        "encode_on_device: the model has neighbourhood fields, whose points are searched on the CPU; use "
        "encode()");
  if (input.surface.rows != nullptr)
    throw CloudError(
        "cloud on a device: a selection of rows is not taken; use a key mask or a cloud of its own");
  if (input.surface.big_endian) throw CloudError("cloud on a device: its numbers are big-endian");
  check_gathering(input.surface, gathering_);
  check_grid(options_.grid);
  token_columns(input.surface, config_.input, gathering_, workspace_.columns);
  return {input,           workspace_.columns,     gathering_, curve(), options_.grid,
          length_policy(), surface_.first_position};
}

void FrameBuilder::add_answers(const EncodeInput& input, Frame& frame) {
  if (input.queries != nullptr) {
    answer_queries(input, frame);
  } else if (input.query_points != nullptr) {
    answer_points(input, frame);
  } else {
    answered_ = &surface_.tokens.point;
    num_rows_ = surface_.tokens.num_points;
    frame.output_index = frame.surface.row;
  }
  frame.num_answers = answered_->size();
  frame.output_row = answered_->data();
}

void FrameBuilder::answer_queries(const EncodeInput& input, Frame& frame) {
  query_gathering_.origin = surface_.tokens.origin;
  gather(*input.queries, config_.input, query_gathering_, workspace_, queries_.tokens);
  order_surface(config_.decoder ? curve() : Curve::none, options_.grid, input.query_mask, engine_, queries_);
  if (neighbourhood_.is_needed()) neighbourhood_.describe_queries(queries_);
  query_rows_ = queries_.rows();
  frame.queries = &query_rows_;
  frame.query_keep = queries_.keep_or_null();
  if (config_.decoder) frame.num_ranked_queries = queries_.num_ranked;
  answered_ = &queries_.tokens.point;
  num_rows_ = queries_.tokens.num_points;
  frame.output_index = query_rows_.row;
}

void FrameBuilder::answer_points(const EncodeInput& input, Frame& frame) {
  choose_points(surface_, input.query_points, input.num_query_points, chosen_);
  frame.answer_rank = chosen_.rank.data();
  answered_ = &chosen_.row;
  num_rows_ = input.num_query_points;
}

std::size_t FrameBuilder::size(std::size_t n) const {
  const std::size_t numbers = config_.input.num_channels() + (gathering_.positions ? 3 : 0);
  const std::size_t rows = curve() == Curve::none ? 1 : 2;  // of the cloud, and by rank
  return n * (numbers * sizeof(float) + rows * sizeof(std::uint32_t)) + neighbourhood_.size(n);
}

std::size_t FrameBuilder::lent(std::size_t n) const {
  return curve() == Curve::none ? 0 : order_scratch_size(n);
}

}  // namespace pcl_attention
