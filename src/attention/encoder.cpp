// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/encoder.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "attention/cost.h"
#include "attention/engine.h"
#include "attention/frame.h"
#include "attention/placement.h"
#include "exec/parallel.h"
#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

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
  const bool to_reference = device == Device::automatic && !missing_in_cpu_engine(model->config()).empty();
  return device == Device::reference || to_reference ? make_reference_engine(model) : make_cpu_engine(model);
}

/// The surface in rank order.
struct Surface {
  Tokens tokens;  ///< as gathered
  Order order;    ///< rank → token
  std::vector<float> values, positions;
  std::vector<std::uint8_t> keep;  ///< by rank; empty: all are kept
};

/// Which tokens are answered, and into which rows.
struct Answers {
  Surface queries;                  ///< foreign ones; a decoder's in rank order
  std::vector<std::uint32_t> rank;  ///< answered ranks of the surface; empty with foreign queries or all
  std::vector<std::uint32_t> row;   ///< answer → output row
  std::size_t num_rows = 0;
  bool foreign = false, all = false;
};

std::vector<std::uint8_t> keep_tokens(const Tokens& tokens, const std::uint8_t* mask) {
  std::vector<std::uint8_t> keep;
  if (mask == nullptr) return keep;
  keep.reserve(tokens.size());
  for (std::uint32_t point : tokens.point) keep.push_back(mask[point]);
  return keep;
}

template <class T>
std::vector<T> by_rank(std::vector<T> rows, const Order& order, std::size_t width) {
  std::vector<T> result(rows.size());
  if (rows.empty()) return result;
  for_each_block(order.row_of_rank.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rank = begin; rank < end; ++rank)
      for (std::size_t c = 0; c < width; ++c)
        result[rank * width + c] = rows[order.row_of_rank[rank] * width + c];
  });
  return result;
}

Answers answer_all(const Surface& surface) {
  Answers answers;
  answers.all = true;
  answers.num_rows = surface.tokens.num_points;
  for (std::uint32_t token : surface.order.row_of_rank) answers.row.push_back(surface.tokens.point[token]);
  return answers;
}

Answers answer_points(const Surface& surface, const std::int32_t* points, std::size_t count) {
  std::vector<std::uint32_t> rank_of_point(surface.tokens.num_points, kNone);
  for (std::size_t rank = 0; rank < surface.order.row_of_rank.size(); ++rank)
    rank_of_point[surface.tokens.point[surface.order.row_of_rank[rank]]] = static_cast<std::uint32_t>(rank);
  Answers answers;
  answers.num_rows = count;
  for (std::size_t i = 0; i < count; ++i) {
    if (points[i] < 0 || static_cast<std::size_t>(points[i]) >= rank_of_point.size())
      throw std::invalid_argument("encode: query_points[" + std::to_string(i) + "] is " +
                                  std::to_string(points[i]) + ", the surface has " +
                                  std::to_string(rank_of_point.size()) + " points");
    const std::uint32_t rank = rank_of_point[static_cast<std::size_t>(points[i])];
    if (rank == kNone) continue;
    answers.rank.push_back(rank);
    answers.row.push_back(static_cast<std::uint32_t>(i));
  }
  return answers;
}

Answers answer_foreign(Surface queries) {
  Answers answers = answer_all(queries);
  answers.all = false;
  answers.foreign = true;
  answers.queries = std::move(queries);
  return answers;
}

template <class T>
std::size_t fill_nan_rows(const Answers& answers, std::size_t width, T* rows) {
  std::vector<bool> answered(answers.num_rows, false);
  for (std::uint32_t row : answers.row) answered[row] = true;
  std::size_t count = 0;
  for (std::size_t row = 0; row < answers.num_rows; ++row) {
    if (answered[row]) continue;
    std::fill_n(rows + row * width, width, std::numeric_limits<T>::quiet_NaN());
    ++count;
  }
  return count;
}

const float* data_or_null(const std::vector<float>& numbers) {
  return numbers.empty() ? nullptr : numbers.data();
}

}  // namespace

struct Encoder::State {
  ModelPtr model;
  EncoderOptions options;
  std::unique_ptr<Engine> engine;

  Curve order() const { return options.order.value_or(model->config().order); }

  GatherOptions gather_options() const {
    GatherOptions result;
    result.field_names = options.field_names;
    result.zero_is_invalid = options.zero_is_invalid;
    result.positions = needs_positions(model->config(), order());
    if (options.grid && order() != Curve::none) result.origin = options.grid->origin;
    result.num_threads = options.num_threads;
    return result;
  }

  void order_surface(Surface& surface, Curve curve, const std::uint8_t* mask) const {
    const Tokens& tokens = surface.tokens;
    surface.keep = keep_tokens(tokens, mask);
    OrderInput input;
    input.num_rows = tokens.size();
    input.positions = data_or_null(tokens.positions);
    input.values = tokens.values.data();
    input.num_channels = tokens.num_channels;
    input.origin = tokens.origin;
    input.keep = surface.keep.empty() ? nullptr : surface.keep.data();
    surface.order = canonical_order(input, curve, options.grid, options.num_threads);
    surface.keep = by_rank(std::move(surface.keep), surface.order, 1);
    surface.values = by_rank(tokens.values, surface.order, tokens.num_channels);
    surface.positions = by_rank(tokens.positions, surface.order, 3);
  }

  Answers choose_answers(const EncodeInput& input, const Surface& surface) const {
    if (input.queries != nullptr) {
      GatherOptions with_origin = gather_options();
      with_origin.origin = surface.tokens.origin;
      Surface queries;
      queries.tokens = gather(*input.queries, model->config().input, with_origin);
      order_surface(queries, model->config().decoder ? order() : Curve::none, input.query_mask);
      return answer_foreign(std::move(queries));
    }
    if (input.query_points != nullptr)
      return answer_points(surface, input.query_points, input.num_query_points);
    return answer_all(surface);
  }

  /// Returns how many tokens have a rank: all, or with an order those that are kept.
  std::size_t num_ranked(const Surface& surface) const {
    if (surface.keep.empty() || order() == Curve::none) return surface.tokens.size();
    return static_cast<std::size_t>(std::count_if(surface.keep.begin(), surface.keep.end(),
                                                  [](std::uint8_t keep) { return keep != 0; }));
  }

  Frame make_frame(const Surface& surface, const Answers& answers, TokenRows& queries) const {
    Frame frame;
    frame.surface = {surface.tokens.size(), surface.values.data(), data_or_null(surface.positions)};
    frame.keep = surface.keep.empty() ? nullptr : surface.keep.data();
    frame.num_ranked = num_ranked(surface);
    frame.placement = make_placement(model->config().input, frame.surface.positions, frame.surface.n,
                                     frame.keep, surface.tokens.origin);
    frame.position_channels = surface.tokens.position_channels;
    frame.length_policy = options.length.value_or(model->config().projection.length_policy);
    if (answers.foreign) {
      queries = {answers.queries.tokens.size(), answers.queries.values.data(),
                 data_or_null(answers.queries.positions)};
      frame.queries = &queries;
      if (model->config().decoder) {
        frame.num_ranked_queries = num_ranked(answers.queries);
        frame.query_keep = answers.queries.keep.empty() ? nullptr : answers.queries.keep.data();
      }
    } else if (!answers.all) {
      frame.answer_rank = answers.rank.data();
    }
    frame.num_answers = answers.row.size();
    frame.output_row = answers.row.data();
    frame.num_threads = options.num_threads;
    return frame;
  }

  template <class T>
  EncodeResult encode(const EncodeInput& input, T* rows, const EncodeControls& controls) {
    if (input.query_mask != nullptr && (!model->config().decoder || input.queries == nullptr))
      throw std::invalid_argument("encode: query_mask is for the queries of a decoder");
    EncodeResult result;
    Stopwatch watch;
    Surface surface;
    surface.tokens = gather(input.surface, model->config().input, gather_options());
    result.seconds.gather = watch.lap();
    order_surface(surface, order(), input.key_mask);
    const Answers answers = choose_answers(input, surface);
    TokenRows queries;
    const Frame frame = make_frame(surface, answers, queries);
    result.seconds.order = watch.lap();

    const bool anything = frame.num_answers != 0;
    if (anything) check_frame(model->config(), frame);
    result.width = model->config().output_width();
    result.num_rows = answers.num_rows;
    result.num_nan_rows = fill_nan_rows(answers, result.width, rows);
    result.seconds.scatter = watch.lap();
    if (anything) result.masked_slots = engine->encode(frame, rows, controls).masked_slots;
    result.seconds.encode = watch.lap();
    result.num_valid = surface.tokens.size();
    result.order = surface.order.diagnostics;
    result.coordinate_step = surface.tokens.coordinate_step;
    return result;
  }
};

Encoder::Encoder(ModelPtr model, EncoderOptions options) : state_(std::make_unique<State>()) {
  state_->engine = make_engine(model, options.device);
  state_->model = std::move(model);
  state_->options = std::move(options);
}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const Model& Encoder::model() const { return *state_->model; }
const EncoderOptions& Encoder::options() const { return state_->options; }
const std::string& Encoder::engine() const { return state_->engine->name(); }
bool Encoder::is_double() const { return state_->engine->is_double(); }
Curve Encoder::order() const { return state_->order(); }

std::size_t Encoder::memory_estimate(std::size_t num_points) const {
  return state_->engine->memory_estimate(num_points);
}

double Encoder::flop_estimate(std::size_t num_points) const {
  return model_flops(state_->model->config(), num_points);
}

EncodeResult Encoder::encode(const EncodeInput& input, float* rows, const EncodeControls& controls) {
  return with_threads(state_->options.num_threads, [&] { return state_->encode(input, rows, controls); });
}

EncodeResult Encoder::encode(const EncodeInput& input, double* rows, const EncodeControls& controls) {
  return with_threads(state_->options.num_threads, [&] { return state_->encode(input, rows, controls); });
}

}  // namespace pcl_attention
