// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/engine.h"

#include <string>

#include "cuda/stream_engine.h"

namespace pcl_attention::cuda {
namespace {

/// What a frame brings back.
struct DownloadedRows {
  DownloadedRows(std::size_t size, Parts& parts)
      : rows(parts.take<float>(size)), counts(parts.take<unsigned long long>(kNumCounts)) {}

  float* rows;
  unsigned long long* counts;
};

/// What sorting brings back.
struct SortedRows {
  SortedRows(std::size_t n, Parts& parts)
      : ties(parts.take<gpu::TieCounts>(1)), rows(parts.take<std::uint32_t>(n)) {}

  gpu::TieCounts* ties;
  std::uint32_t* rows;
};

/// @throws ModelError if a row of a layer does not fit in a block's shared memory.
void check_widths(const NetworkDescription& network, const DeviceNetwork& weights) {
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    const std::size_t bytes = gpu::answer_bytes(answer_shape(network, weights, layer), 1);
    if (bytes > gpu::kSharedBytes)
      throw ModelError("cuda: a row of layer " + std::to_string(layer) + " takes " + std::to_string(bytes) +
                       " bytes of a block's memory, which has " + std::to_string(gpu::kSharedBytes) +
                       "; use the device cpu for a model this wide");
  }
}

}  // namespace

StreamEngine::StreamEngine(const NetworkDescription& network, int device)
    : device_(device),
      scope_(device),
      network_(network),
      stream_(device),
      active_(stream_.handle()),
      weights_(network, device, active_),
      memory_(device),
      points_(device) {
  check_widths(network_, weights_);
  scope_.reset();
}

TokenStaging StreamEngine::begin_order(const OrderDescription& order) {
  return on_device([&] {
    start(stream_.handle());
    order_ = order;
    const std::size_t n = order.tokens.n, scratch = n == 0 ? 0 : sort_scratch_bytes(n);
    Parts count;
    lay_out_tokens(network_, order.tokens, count);
    lay_out_order(n, scratch, count);
    Parts device(memory_.require(count.used(), "the order of " + count_points(n)));
    tokens_.surface = lay_out_tokens(network_, order.tokens, device);
    token_bytes_ = device.used();
    order_memory_ = lay_out_order(n, scratch, device);
    Parts host(pinned_.reserve(token_bytes_));
    return lay_out_tokens(network_, order.tokens, host);
  });
}

OrderResult StreamEngine::order() {
  return on_device([&] {
    const std::size_t channels = network_.input_channels;
    const auto sorted = lay_out_pinned<SortedRows>(order_.tokens.n, results_);
    upload();
    sort_by_key(order_, channels, tokens_.surface, order_memory_, active_);
    runtime::copy_to_host(sorted.ties, order_memory_.ties, sizeof *sorted.ties, active_);
    bring_rows(order_memory_.sort.sorted_rows, sorted.rows);
    const auto longest = static_cast<std::size_t>(sorted.ties->longest);
    if (longest > 1)
      bring_rows(sort_ties(order_, channels, tokens_.surface, order_memory_, longest, active_), sorted.rows);
    busy_ = false;
    return OrderResult{sorted.rows, static_cast<std::size_t>(sorted.ties->ties),
                       static_cast<std::size_t>(sorted.ties->longest_kept)};
  });
}

/// Copies the order's rows to the host and waits.
void StreamEngine::bring_rows(const std::uint32_t* rows, std::uint32_t* to) {
  runtime::copy_to_host(to, rows, order_.tokens.n * sizeof *rows, active_);
  runtime::synchronise(active_);
}

std::size_t StreamEngine::frame_bytes(const FrameDescription& frame) const {
  Parts parts;
  lay_out_tokens(network_, frame, parts);
  lay_out(network_, frame, parts);
  return parts.used();
}

FrameStaging StreamEngine::begin(const FrameDescription& frame) {
  return on_device([&] {
    start(stream_.handle());
    frame_ = frame;
    Parts device(memory_.require(frame_bytes(frame_), "a frame of " + count_points(frame_.surface.n)));
    tokens_ = lay_out_tokens(network_, frame_, device);
    token_bytes_ = device.used();
    work_ = lay_out(network_, frame_, device);
    Parts host(pinned_.reserve(token_bytes_));
    return lay_out_tokens(network_, frame_, host);
  });
}

void StreamEngine::embed() {
  on_device([&] {
    upload();
    start_run();
  });
}

FrameResult StreamEngine::finish() {
  return on_device([&] {
    const std::size_t size = frame_.num_answers * network_.output_width();
    const auto answers = lay_out_pinned<DownloadedRows>(size, results_);
    runtime::copy_to_host(answers.rows, run_->output(), size * sizeof(float), active_);
    return finish(answers.rows, answers.counts);
  });
}

/// Brings the frame's counts and waits.
FrameResult StreamEngine::finish(const float* rows, unsigned long long* counts) {
  runtime::copy_to_host(counts, work_.counts, kNumCounts * sizeof *counts, active_);
  runtime::synchronise(active_);
  busy_ = false;
  return {rows, static_cast<std::size_t>(counts[0]), static_cast<std::size_t>(counts[1])};
}

void StreamEngine::start(StreamHandle stream) {
  run_.reset();
  if (busy_) runtime::synchronise(active_);
  active_ = stream;
  busy_ = true;
}

void StreamEngine::upload() {
  runtime::copy_to_device(memory_.data(), pinned_.reserve(token_bytes_), token_bytes_, active_);
}

void StreamEngine::start_run() {
  runtime::fill(work_.counts, 0, kNumCounts * sizeof *work_.counts, active_);
  run_.emplace(network_, weights_, frame_, tokens_, work_, active_);
  run_->embed();
}

void StreamEngine::summarise(std::size_t layer) {
  on_device([&] { run_->summarise(layer); });
}
void StreamEngine::answer_surface(std::size_t layer) {
  on_device([&] { run_->answer_surface(layer); });
}
void StreamEngine::answer_queries(std::size_t layer) {
  on_device([&] { run_->answer_queries(layer); });
}
void StreamEngine::answer_wanted(std::size_t layer) {
  on_device([&] { run_->answer_wanted(layer); });
}
void StreamEngine::wait() {
  on_device([&] { runtime::synchronise(active_); });
}

std::unique_ptr<Engine> make_engine(const NetworkDescription& network, int device) {
  return std::make_unique<StreamEngine>(network, device);
}

}  // namespace pcl_attention::cuda
