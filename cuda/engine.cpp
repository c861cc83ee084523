// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/engine.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "cuda/memory.h"
#include "cuda/ordering.h"
#include "cuda/run.h"
#include "cuda/sort.h"
#include "pcl_attention/error.h"

namespace pcl_attention::cuda {
namespace {

constexpr std::size_t kNumCounts = 2;

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

class StreamEngine : public Engine {
 public:
  StreamEngine(const NetworkDescription& network, int device)
      : device_(device),
        scope_(device),
        network_(network),
        stream_(device),
        weights_(network, device, stream_.handle()),
        memory_(device) {
    check_widths(network_, weights_);
    scope_.reset();
  }

  TokenStaging begin_order(const OrderDescription& order) override {
    return on_device([&] { return start_order(order); });
  }
  OrderResult order() override {
    return on_device([&] { return sort(); });
  }

  std::size_t frame_bytes(const FrameDescription& frame) const override {
    Parts parts;
    lay_out_tokens(network_, frame, parts);
    lay_out(network_, frame, parts);
    return parts.used();
  }

  FrameStaging begin(const FrameDescription& frame) override {
    return on_device([&] { return start_frame(frame); });
  }
  void embed() override {
    on_device([&] {
      upload();
      runtime::fill(work_.counts, 0, kNumCounts * sizeof *work_.counts, stream_.handle());
      run_.emplace(network_, weights_, frame_, tokens_, work_, stream_.handle());
      run_->embed();
    });
  }
  void summarise(std::size_t layer) override {
    on_device([&] { run_->summarise(layer); });
  }
  void answer_surface(std::size_t layer) override {
    on_device([&] { run_->answer_surface(layer); });
  }
  void answer_queries(std::size_t layer) override {
    on_device([&] { run_->answer_queries(layer); });
  }
  void answer_wanted(std::size_t layer) override {
    on_device([&] { run_->answer_wanted(layer); });
  }
  void wait() override {
    on_device([&] { runtime::synchronise(stream_.handle()); });
  }
  FrameResult finish() override {
    return on_device([&] { return download(); });
  }

 private:
  /// Calls body() with the engine's device current; a kernel that does not start is a DeviceError, too.
  template <class Body>
  auto on_device(const Body& body) -> decltype(body()) {
    const DeviceScope scope(device_);
    try {
      return body();
    } catch (const DeviceError&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw DeviceError("cuda: device " + std::to_string(device_) + ": " + error.what());
    }
  }

  TokenStaging start_order(const OrderDescription& order) {
    start();
    order_ = order;
    const std::size_t n = order.tokens.n, scratch = n == 0 ? 0 : sort_scratch_bytes(n);
    Parts count;
    lay_out_tokens(network_, order.tokens, count);
    lay_out_order(n, scratch, count);
    reserve(count.used(), n, "the order");
    Parts device(memory_.data());
    tokens_.surface = lay_out_tokens(network_, order.tokens, device);
    token_bytes_ = device.used();
    order_memory_ = lay_out_order(n, scratch, device);
    Parts host(pinned_.reserve(token_bytes_));
    return lay_out_tokens(network_, order.tokens, host);
  }

  OrderResult sort() {
    const std::size_t n = order_.tokens.n, channels = network_.input_channels;
    const SortedRows sorted = lay_out_pinned<SortedRows>(n);
    upload();
    sort_by_key(order_, channels, tokens_.surface, order_memory_, stream_.handle());
    runtime::copy_to_host(sorted.ties, order_memory_.ties, sizeof *sorted.ties, stream_.handle());
    bring_rows(order_memory_.sorted_rows, sorted.rows);
    const auto longest = static_cast<std::size_t>(sorted.ties->longest);
    if (longest > 1)
      bring_rows(sort_ties(order_, channels, tokens_.surface, order_memory_, longest, stream_.handle()),
                 sorted.rows);
    busy_ = false;
    return {sorted.rows, static_cast<std::size_t>(sorted.ties->ties),
            static_cast<std::size_t>(sorted.ties->longest_kept)};
  }

  /// Copies the order's rows to the host and waits.
  void bring_rows(const std::uint32_t* rows, std::uint32_t* to) {
    runtime::copy_to_host(to, rows, order_.tokens.n * sizeof *rows, stream_.handle());
    runtime::synchronise(stream_.handle());
  }

  FrameStaging start_frame(const FrameDescription& frame) {
    start();
    frame_ = frame;
    reserve(frame_bytes(frame_), frame_.surface.n, "a frame");
    Parts device(memory_.data());
    tokens_ = lay_out_tokens(network_, frame_, device);
    token_bytes_ = device.used();
    work_ = lay_out(network_, frame_, device);
    Parts host(pinned_.reserve(token_bytes_));
    return lay_out_tokens(network_, frame_, host);
  }

  FrameResult download() {
    const std::size_t size = frame_.num_answers * network_.output_width();
    const DownloadedRows answers = lay_out_pinned<DownloadedRows>(size);
    runtime::copy_to_host(answers.rows, run_->output(), size * sizeof(float), stream_.handle());
    runtime::copy_to_host(answers.counts, work_.counts, kNumCounts * sizeof *answers.counts,
                          stream_.handle());
    runtime::synchronise(stream_.handle());
    busy_ = false;
    return {answers.rows, answers.counts[0], answers.counts[1]};
  }

  /// Lays what comes back into pinned memory.
  template <class Content>
  Content lay_out_pinned(std::size_t size) {
    Parts count;
    Content(size, count);
    Parts parts(results_.reserve(count.used()));
    return Content(size, parts);
  }

  /// Waits for what a frame that failed, or was given up, has left on the stream.
  void start() {
    run_.reset();
    if (busy_) runtime::synchronise(stream_.handle());
    busy_ = true;
  }

  void upload() {
    runtime::copy_to_device(memory_.data(), pinned_.reserve(token_bytes_), token_bytes_, stream_.handle());
  }

  void reserve(std::size_t bytes, std::size_t num_points, const char* what) {
    if (memory_.reserve(bytes) != nullptr) return;
    throw DeviceError(std::string("cuda: ") + what + " of " + std::to_string(num_points) +
                      " points takes about " + std::to_string(bytes) + " bytes on device " +
                      std::to_string(device_) + ", which has " + std::to_string(runtime::free_memory()) +
                      " free; give it fewer points, or use the device cpu");
  }

  int device_;
  std::optional<DeviceScope> scope_;  ///< while it is made
  NetworkDescription network_;        ///< of its numbers only whether they are there is asked
  Stream stream_;
  DeviceNetwork weights_;
  DeviceMemory memory_;
  PinnedMemory pinned_, results_;
  OrderDescription order_;
  OrderMemory order_memory_;
  FrameDescription frame_;
  FrameStaging tokens_;
  std::size_t token_bytes_ = 0;
  bool busy_ = false;  ///< a frame or an order has begun and not ended
  Workspace work_;
  std::optional<Run> run_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(const NetworkDescription& network, int device) {
  return std::make_unique<StreamEngine>(network, device);
}

}  // namespace pcl_attention::cuda
