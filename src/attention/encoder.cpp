// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/encoder.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "attention/answers.h"
#include "attention/cost.h"
#include "attention/frame.h"
#include "attention/placement.h"
#include "attention/surface.h"
#include "exec/parallel.h"
#include "ordering/order.h"
#include "tokens/gather.h"

namespace pcl_attention {
namespace {

class Stopwatch {
 public:
  /// Returns the seconds since construction or the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::unique_ptr<Engine> make_engine(const ModelPtr& model, Device device) {
  if (model == nullptr) throw std::invalid_argument("Encoder: the model is null");
  return device == Device::reference ? make_reference_engine(model) : make_cpu_engine(model);
}

}  // namespace

struct Encoder::State {
  State(ModelPtr the_model, EncoderOptions the_options)
      : engine(make_engine(the_model, the_options.device)),
        model(std::move(the_model)),
        options(std::move(the_options)),
        threads(options.num_threads) {
    gathering.field_names = options.field_names;
    gathering.zero_is_invalid = options.zero_is_invalid;
    gathering.positions = needs_positions(config(), order());
    if (options.grid && order() != Curve::none) gathering.origin = options.grid->origin;
    query_gathering = gathering;
  }

  const ModelConfig& config() const { return model->config(); }
  Curve order() const { return options.order.value_or(config().order); }

  void choose_answers(const EncodeInput& input) {
    if (input.queries != nullptr) {
      query_gathering.origin = surface.tokens.origin;
      gather(*input.queries, config().input, query_gathering, workspace, queries.tokens);
      order_surface(config().decoder ? order() : Curve::none, options.grid, input.query_mask, *engine, queries);
      answer_all(queries, answers);
    } else if (input.query_points != nullptr) {
      answer_points(surface, input.query_points, input.num_query_points, answers);
    } else {
      answer_all(surface, answers);
    }
  }

  Frame make_frame(const EncodeInput& input) {
    Frame frame;
    frame.surface = surface.rows();
    frame.keep = surface.keep_or_null();
    frame.num_ranked = surface.num_ranked;
    frame.placement = make_placement(config().input, frame.surface, frame.keep, surface.tokens.origin);
    frame.position_channels = surface.tokens.position_channels;
    frame.length_policy = options.length.value_or(config().projection.length_policy);
    if (input.queries != nullptr) {
      query_rows = queries.rows();
      frame.queries = &query_rows;
      if (config().decoder) frame.num_ranked_queries = queries.num_ranked;
      frame.query_keep = queries.keep_or_null();
    } else if (input.query_points != nullptr) {
      frame.answer_rank = answers.rank.data();
    }
    frame.num_answers = answers.row.size();
    frame.output_row = answers.row.data();
    frame.num_threads = options.num_threads;
    return frame;
  }

  /// Gathers, orders and checks; nothing is written before all checks have passed.
  Frame prepare(const EncodeInput& input, StageSeconds& seconds) {
    if (input.query_mask != nullptr && (!config().decoder || input.queries == nullptr))
      throw std::invalid_argument("encode: query_mask is for the queries of a decoder");
    Stopwatch watch;
    gather(input.surface, config().input, gathering, workspace, surface.tokens);
    seconds.gather = watch.lap();
    order_surface(order(), options.grid, input.key_mask, *engine, surface);
    choose_answers(input);
    const Frame frame = make_frame(input);
    if (frame.num_answers != 0) check_frame(config(), frame);
    seconds.order = watch.lap();
    return frame;
  }

  template <class T>
  EncodeResult encode(const EncodeInput& input, T* rows, const EncodeControls& controls) {
    EncodeResult result;
    const Frame frame = prepare(input, result.seconds);
    result.num_rows = answers.num_rows;
    result.width = config().output_width();
    result.num_valid = surface.tokens.size();
    result.order = surface.order.diagnostics;
    result.coordinate_step = surface.tokens.coordinate_step;
    Stopwatch watch;
    result.num_nan_rows = fill_nan_rows(answers, result.width, rows);
    result.seconds.scatter = watch.lap();
    if (frame.num_answers != 0) result.masked_slots = engine->encode(frame, rows, controls).masked_slots;
    result.seconds.encode = watch.lap();
    return result;
  }

  std::size_t memory_estimate(std::size_t n) {
    const std::size_t values = config().input.num_channels(), positions = gathering.positions ? 3 : 0;
    const std::size_t frame = n * (sizeof(float) * (values + positions) + 3 * sizeof(std::uint32_t));
    const std::size_t lent = order() == Curve::none ? 0 : order_scratch_size(n);
    return frame + threads.run([&] { return engine->memory_estimate(n, lent); });
  }

  std::unique_ptr<Engine> engine;
  ModelPtr model;
  EncoderOptions options;
  Threads threads;

  // Kept between frames, so that those of a size allocate once.
  GatherOptions gathering, query_gathering;
  GatherWorkspace workspace;
  Surface surface, queries;
  TokenRows query_rows;
  Answers answers;
};

Encoder::Encoder(ModelPtr model, EncoderOptions options)
    : state_(std::make_unique<State>(std::move(model), std::move(options))) {}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const Model& Encoder::model() const { return *state_->model; }
const EncoderOptions& Encoder::options() const { return state_->options; }
const std::string& Encoder::engine() const { return state_->engine->name(); }
bool Encoder::is_double() const { return state_->engine->is_double(); }
Curve Encoder::order() const { return state_->order(); }

std::size_t Encoder::memory_estimate(std::size_t num_points) const {
  return state_->memory_estimate(num_points);
}

double Encoder::flop_estimate(std::size_t num_points) const {
  return model_flops(state_->model->config(), num_points);
}

EncodeResult Encoder::encode(const EncodeInput& input, float* rows, const EncodeControls& controls) {
  return state_->threads.run([&] { return state_->encode(input, rows, controls); });
}

EncodeResult Encoder::encode(const EncodeInput& input, double* rows, const EncodeControls& controls) {
  return state_->threads.run([&] { return state_->encode(input, rows, controls); });
}

}  // namespace pcl_attention
