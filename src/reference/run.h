// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "attention/frame.h"
#include "reference/network.h"
#include "reference/summarise.h"
#include "reference/tiles.h"

namespace pcl_attention::reference {

/// One frame on its way through the layers; what run_layers() and run_decoder() call.
template <class T>
class Run {
 public:
  /// @param out  output rows, as Engine::encode() takes them
  Run(const Network& network, const Frame& frame, T* out, const EncodeControls& controls)
      : network_(network), frame_(frame), out_(out), controls_(controls) {
    const ModelConfig& config = network.config;
    surface_ =
        embed(network.embedding, frame,
              {&frame.surface, frame.num_ranked, frame.keep, num_padded(config, frame, frame.num_ranked)},
              controls);
    if (frame.queries == nullptr) return;
    const std::size_t padded = config.decoder ? num_padded(config, frame, frame.num_ranked_queries) : 0;
    queries_ = embed(network.embedding, frame,
                     {frame.queries, frame.num_ranked_queries, frame.query_keep, padded}, controls);
  }

  void summarise(std::size_t layer) {
    summary_ = reference::summarise(network_.config, layer, network_.layers[layer], source(layer));
    masked_slots_ += summary_.masked_slots;
  }

  void answer_surface(std::size_t layer) { surface_.x = answer_rows(layer, surface_); }

  void answer_queries(std::size_t layer) {
    queries_.x = answer_rows(layer, queries_);
    if (layer + 1 < network_.config.depth) return;
    for_tiles(index(frame_.num_answers), controls_,
              [&](Index begin, Index count) { write(begin, queries_.x.middleRows(begin, count)); });
  }

  void answer_wanted(std::size_t layer) {
    for_tiles(index(frame_.num_answers), controls_, [&](Index begin, Index count) {
      std::vector<Index> rows;
      for (Index i = begin; i < begin + count; ++i) rows.push_back(token(i));
      write(begin, answer_rows(layer, rows_of(surface_, std::move(rows))));
    });
  }

  /// Returns what layer `layer` summarises: the surface, or in a decoder's even layers the queries.
  const SurfaceRows& source(std::size_t layer) const {
    return network_.config.decoder && layer % 2 == 0 ? queries_ : surface_;
  }

  /// Returns what layer `layer` answers, before it has answered.
  const SurfaceRows& asked() const { return frame_.queries == nullptr ? surface_ : queries_; }

  const Summary& summary() const { return summary_; }
  std::size_t masked_slots() const { return masked_slots_; }
  std::size_t guarded_rows() const { return guarded_rows_; }

 private:
  Index token(Index answer) const {
    return frame_.answer_rank == nullptr ? answer : static_cast<Index>(frame_.answer_rank[answer]);
  }

  Matrix answer_rows(std::size_t layer, AskedRows asked) {
    AnsweredRows answered = network_.layers[layer].answer(asked, summary_);
    guarded_rows_ += answered.guarded;
    return std::move(answered.y);
  }

  Matrix answer_rows(std::size_t layer, const SurfaceRows& of) {
    Matrix y(of.x.rows(), index(network_.config.width_out(layer)));
    for_tiles(of.x.rows(), controls_, [&](Index begin, Index count) {
      std::vector<Index> rows;
      for (Index i = begin; i < begin + count; ++i) rows.push_back(i);
      y.middleRows(begin, count) = answer_rows(layer, rows_of(of, std::move(rows)));
    });
    return y;
  }

  void write(Index first, const Matrix& rows) const {
    const Matrix result = network_.head.exists() ? network_.head(rows) : rows;
    for (Index i = 0; i < result.rows(); ++i) {
      T* out = out_ + static_cast<std::size_t>(frame_.row_of_answer(static_cast<std::size_t>(first + i))) *
                          static_cast<std::size_t>(result.cols());
      for (Index c = 0; c < result.cols(); ++c) out[c] = static_cast<T>(result(i, c));
    }
  }

  const Network& network_;
  const Frame& frame_;
  T* out_;
  const EncodeControls& controls_;
  SurfaceRows surface_, queries_;
  Summary summary_;
  std::size_t masked_slots_ = 0;
  std::atomic<std::size_t> guarded_rows_{0};
};

}  // namespace pcl_attention::reference
