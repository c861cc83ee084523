// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <utility>

#include "attention/engine.h"
#include "attention/frame.h"
#include "attention/layer_loop.h"
#include "exec/parallel.h"
#include "reference/embedding.h"
#include "reference/summarise.h"

namespace pcl_attention {
namespace {

using reference::index;
using reference::Layer;
using reference::Linear;
using reference::Matrix;
using reference::Summary;
using reference::SurfaceRows;
using reference::TokenEmbedding;

constexpr std::size_t kTilePoints = 64;

/// The network in double.
struct Network {
  explicit Network(const Model& model)
      : config(model.config()), embedding(model), head(linear_weights(model, "head")) {
    reference::ProjectionCache cache;
    for (std::size_t layer = 0; layer < config.depth; ++layer) layers.emplace_back(model, layer, cache);
  }

  const ModelConfig& config;
  TokenEmbedding embedding;
  std::vector<Layer> layers;
  Linear head;
};

/// One frame on its way through the layers.
template <class T>
class Run {
 public:
  Run(const Network& network, const Frame& frame, T* out, const EncodeControls& controls)
      : network_(network), frame_(frame), out_(out), controls_(controls) {
    embed_surface();
    if (frame.queries != nullptr) embed_queries();
  }

  void summarise(std::size_t layer) {
    summary_ = reference::summarise(network_.config, layer, network_.layers[layer], surface_);
    masked_slots_ += summary_.masked_slots;
  }

  void answer_surface(std::size_t layer) { surface_.x = answer_rows(layer, surface_.x); }

  void answer_queries(std::size_t layer) {
    queries_ = answer_rows(layer, queries_);
    if (layer + 1 < network_.config.depth) return;
    for_tiles(index(frame_.num_answers), [&](Eigen::Index begin, Eigen::Index count) {
      write(begin, queries_.middleRows(begin, count));
    });
  }

  void answer_wanted(std::size_t layer) {
    for_tiles(index(frame_.num_answers), [&](Eigen::Index begin, Eigen::Index count) {
      Matrix rows(count, surface_.x.cols());
      for (Eigen::Index i = 0; i < count; ++i) rows.row(i) = surface_.x.row(token(begin + i));
      write(begin, network_.layers[layer].answer(rows, summary_));
    });
  }

  std::size_t masked_slots() const { return masked_slots_; }

 private:
  template <class Body>
  void for_tiles(Eigen::Index n, const Body& body) const {
    for_each_block(static_cast<std::size_t>(n), kTilePoints, [&](std::size_t begin, std::size_t end) {
      if (controls_.cancel != nullptr && controls_.cancel->load())
        throw Cancelled("encode: cancelled by the caller");
      body(index(begin), index(end - begin));
    });
  }

  Eigen::Index token(Eigen::Index answer) const {
    return frame_.answer_rank == nullptr ? answer : static_cast<Eigen::Index>(frame_.answer_rank[answer]);
  }

  void embed_surface() {
    const std::size_t n = frame_.surface.n, padded = num_padded(network_.config, frame_);
    surface_.rank.assign(n + padded, -1);
    for (std::size_t i = 0; i < frame_.num_ranked; ++i)
      if (frame_.keep == nullptr || frame_.keep[i] != 0) surface_.rank[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < padded; ++i)
      surface_.rank[n + i] = static_cast<std::int64_t>(frame_.num_ranked + i);

    surface_.x = Matrix::Zero(index(n + padded), index(network_.config.channels));
    surface_.positions.resize(frame_.surface.positions == nullptr ? 0 : index(n), 3);
    for_tiles(index(n), [&](Eigen::Index begin, Eigen::Index count) {
      const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(begin + count);
      surface_.x.middleRows(begin, count) =
          network_.embedding.rows(frame_.surface, frame_, surface_.rank.data(), first, last);
      if (surface_.positions.rows() != 0)
        surface_.positions.middleRows(begin, count) =
            network_.embedding.positions(frame_.surface, frame_.placement, first, last);
    });
    note_facts(frame_.num_ranked + padded);
  }

  void note_facts(std::size_t num_ranks) {
    reference::SurfaceFacts& facts = surface_.facts;
    facts.num_ranks = num_ranks;
    facts.length_policy = frame_.length_policy;
    facts.lowest.fill(std::numeric_limits<double>::infinity());
    facts.highest.fill(-std::numeric_limits<double>::infinity());
    for (Eigen::Index i = 0; i < surface_.positions.rows(); ++i) {
      if (surface_.rank[static_cast<std::size_t>(i)] < 0) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        facts.lowest[axis] = std::min(facts.lowest[axis], surface_.positions(i, index(axis)));
        facts.highest[axis] = std::max(facts.highest[axis], surface_.positions(i, index(axis)));
      }
    }
  }

  void embed_queries() {
    queries_.resize(index(frame_.queries->n), index(network_.config.channels));
    for_tiles(queries_.rows(), [&](Eigen::Index begin, Eigen::Index count) {
      queries_.middleRows(begin, count) =
          network_.embedding.rows(*frame_.queries, frame_, nullptr, static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(begin + count));
    });
  }

  Matrix answer_rows(std::size_t layer, const Matrix& x) const {
    Matrix y(x.rows(), index(network_.config.width_out(layer)));
    for_tiles(x.rows(), [&](Eigen::Index begin, Eigen::Index count) {
      y.middleRows(begin, count) = network_.layers[layer].answer(x.middleRows(begin, count), summary_);
    });
    return y;
  }

  void write(Eigen::Index first, const Matrix& rows) const {
    const Matrix result = network_.head.exists() ? network_.head(rows) : rows;
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
      T* out = out_ + static_cast<std::size_t>(frame_.output_row[first + i]) *
                          static_cast<std::size_t>(result.cols());
      for (Eigen::Index c = 0; c < result.cols(); ++c) out[c] = static_cast<T>(result(i, c));
    }
  }

  const Network& network_;
  const Frame& frame_;
  T* out_;
  const EncodeControls& controls_;
  SurfaceRows surface_;
  Matrix queries_;
  Summary summary_;
  std::size_t masked_slots_ = 0;
};

class ReferenceEngine : public Engine {
 public:
  explicit ReferenceEngine(ModelPtr model) : model_(std::move(model)), network_(*model_) {}

  const std::string& name() const override { return name_; }
  bool is_double() const override { return true; }

  std::size_t memory_estimate(std::size_t n) const override {
    const ModelConfig& config = model_->config();
    const std::size_t width = std::max(config.channels, config.inner_channels);
    const std::size_t inner = config.heads * config.head_width;
    std::size_t numbers = n * (2 * width + 3 + config.input.num_channels());
    if (config.mechanism == Mechanism::full) numbers += 2 * n * inner;
    return numbers * sizeof(double);
  }

  EngineResult encode(const Frame& frame, float* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }
  EngineResult encode(const Frame& frame, double* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }

 private:
  template <class T>
  EngineResult run(const Frame& frame, T* out, const EncodeControls& controls) const {
    Run<T> layers(network_, frame, out, controls);
    run_layers(model_->config().depth, frame.queries != nullptr, layers, controls);
    return {layers.masked_slots()};
  }

  ModelPtr model_;
  Network network_;
  std::string name_ = "reference";
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(ModelPtr model) {
  return std::make_unique<ReferenceEngine>(std::move(model));
}

}  // namespace pcl_attention
