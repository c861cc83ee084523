// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/heads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "attention/frame_builder.h"
#include "attention/placement.h"
#include "exec/parallel.h"
#include "reference/received.h"
#include "reference/tiles.h"

namespace pcl_attention {
namespace {

using reference::index;
using reference::Index;
using reference::LayerView;
using reference::Matrix;
using reference::RowVector;

/// Mean weights over the points asked, and each point's strongest slot.
struct Attended {
  RowVector mean;                       ///< [slots]
  std::vector<std::int32_t> strongest;  ///< [asked points]
};

bool is_kernel(const LayerView& view) { return view.network.config.mechanism == Mechanism::kernel; }

Matrix weights_of(const LayerView& view, const std::vector<Index>& rows, std::size_t head) {
  const reference::AskedRows asked = rows_of(view.asked, rows);
  return is_kernel(view) ? kernel_weights(view, asked, head)
                         : view.network.layers[view.layer].weights(asked, view.summary, head);
}

/// Runs over all asked points chunk by chunk; the sums are merged by tree_reduce.
Attended attend_all(const LayerView& view, std::size_t head) {
  const std::size_t n = view.frame.num_answers;
  Attended result;
  result.strongest.resize(n);
  const auto leaf = [&](std::size_t chunk) {
    RowVector sum = RowVector::Zero(view.summary.rows());
    const std::size_t end = std::min(n, (chunk + 1) * kChunkPoints);
    for (std::size_t first = chunk * kChunkPoints; first < end; first += reference::kTilePoints) {
      std::vector<Index> rows;
      for (std::size_t i = first; i < std::min(end, first + reference::kTilePoints); ++i)
        rows.push_back(index(i));
      const Matrix weights = weights_of(view, rows, head);
      for (Index i = 0; i < weights.rows(); ++i) {
        Index strongest = 0;
        if (weights.cols() != 0) weights.row(i).maxCoeff(&strongest);
        result.strongest[first + static_cast<std::size_t>(i)] = static_cast<std::int32_t>(strongest);
        sum += weights.row(i);
      }
    }
    return sum;
  };
  result.mean = tree_reduce(0, (n + kChunkPoints - 1) / kChunkPoints, leaf,
                            [](RowVector& left, const RowVector& right) { left += right; });
  result.mean /= static_cast<double>(n);
  return result;
}

class HeadsObserver : public reference::Observer {
 public:
  void start(const HeadsRequest& request, AttentionHeadsResult& result) {
    request_ = request;
    result_ = &result;
  }

  void look(const LayerView& view) override {
    if (view.layer == 0) choose_rows(view);
    for (std::size_t head = 0; head < view.network.config.heads; ++head) {
      AttentionHead one;
      one.layer = view.layer;
      one.head = head;
      one.num_slots = num_slots(view);
      if (!rows_.empty()) {
        const Matrix weights = weights_of(view, rows_, head);
        one.weights.assign(weights.data(), weights.data() + weights.size());
      }
      if (request_.per_point) add_points(view, one);
      result_->heads.push_back(std::move(one));
    }
  }

 private:
  static std::size_t num_slots(const LayerView& view) {
    if (!is_kernel(view)) return static_cast<std::size_t>(view.summary.rows());
    const auto& rank = view.source.rank;
    return static_cast<std::size_t>(std::count_if(rank.begin(), rank.end(), [](auto r) { return r >= 0; }));
  }

  /// Rows i · n / R for i < R.
  void choose_rows(const LayerView& view) {
    const std::size_t n = view.frame.num_answers, count = std::min(request_.num_rows, n);
    rows_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      rows_.push_back(index(i * n / count));
      result_->row_points.push_back(view.frame.row_of_answer(i * n / count));
    }
  }

  void add_points(const LayerView& view, AttentionHead& one) const {
    Attended attended;
    if (!is_kernel(view)) attended = attend_all(view, one.head);
    RowVector received = is_kernel(view) ? received_through_features(view, one.head)
                                         : received_through_slots(view, one.head, attended.mean);
    const double sum = received.head(index(view.frame.num_answers)).sum();
    if (sum > 0.0) received /= sum;
    one.received.assign(result_->num_points, std::numeric_limits<float>::quiet_NaN());
    one.strongest_slot.assign(result_->num_points, -1);
    for (std::size_t i = 0; i < view.frame.num_answers; ++i) {
      one.received[view.frame.row_of_answer(i)] = static_cast<float>(received(index(i)));
      if (!attended.strongest.empty())
        one.strongest_slot[view.frame.row_of_answer(i)] = attended.strongest[i];
    }
  }

  HeadsRequest request_;
  AttentionHeadsResult* result_ = nullptr;
  std::vector<Index> rows_;
};

void check(const ModelConfig& config, const EncodeInput& input, const HeadsRequest& request) {
  if (input.query_points != nullptr)
    throw std::invalid_argument("heads: chosen points of the surface are not shown on their own");
  if (!request.per_point) return;
  if (config.mechanism == Mechanism::linformer && config.projection.kind == Projection::convolution)
    throw std::invalid_argument(
        "heads: attention received is not defined for a convolution, whose slots mix the channels of points");
  if (input.queries != nullptr)
    throw std::invalid_argument("heads: per-point values are those of one cloud, without queries");
}

}  // namespace

struct AttentionHeads::State {
  State(ModelPtr the_model, EncoderOptions the_options)
      : model(std::move(the_model)),
        options(std::move(the_options)),
        engine(reference::make_observed_engine(checked(model), observer)),
        builder(model->config(), options, *engine),
        threads(options.num_threads) {}

  static const ModelPtr& checked(const ModelPtr& model) {
    if (model == nullptr) throw std::invalid_argument("AttentionHeads: the model is null");
    return model;
  }

  AttentionHeadsResult compute(const EncodeInput& input, const HeadsRequest& request,
                               const EncodeControls& controls) {
    StageSeconds seconds;
    const Frame frame = builder.build(input, seconds);
    AttentionHeadsResult result;
    result.num_points = builder.num_rows();
    if (frame.num_answers == 0) return result;
    result.num_layers = model->config().depth;
    result.num_heads = model->config().heads;
    observer.start(request, result);
    std::vector<double> rows(result.num_points * model->config().output_width());
    engine->encode(frame, rows.data(), controls);
    return result;
  }

  ModelPtr model;
  EncoderOptions options;
  HeadsObserver observer;
  std::unique_ptr<Engine> engine;
  FrameBuilder builder;
  Threads threads;
};

AttentionHeads::AttentionHeads(ModelPtr model, EncoderOptions options)
    : state_(std::make_unique<State>(std::move(model), std::move(options))) {}

AttentionHeads::~AttentionHeads() = default;
AttentionHeads::AttentionHeads(AttentionHeads&&) noexcept = default;
AttentionHeads& AttentionHeads::operator=(AttentionHeads&&) noexcept = default;

AttentionHeadsResult AttentionHeads::compute(const EncodeInput& input, const HeadsRequest& request,
                                             const EncodeControls& controls) {
  check(state_->model->config(), input, request);
  return state_->threads.run([&] { return state_->compute(input, request, controls); });
}

}  // namespace pcl_attention
