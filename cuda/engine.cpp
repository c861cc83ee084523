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

/// Numbers that results come back in, in pinned memory.
struct Results {
  float* rows = nullptr;
  unsigned long long* counts = nullptr;
};

Results lay_out_results(std::size_t size, Parts& parts) {
  Results results;
  results.rows = parts.take<float>(size);
  results.counts = parts.take<unsigned long long>(kNumCounts);
  return results;
}

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
    const DeviceScope scope(device_);
    start();
    order_ = order;
    const std::size_t scratch = order.tokens.n == 0 ? 0 : sort_scratch_bytes(order.tokens.n);
    Parts count;
    lay_out_tokens(network_, order.tokens, count);
    lay_out_order(order.tokens.n, scratch, count);
    reserve(count.used(), order.tokens.n, "ordering");
    Parts device(memory_.data());
    on_device_.surface = lay_out_tokens(network_, order.tokens, device);
    token_bytes_ = device.used();
    order_memory_ = lay_out_order(order.tokens.n, scratch, device);
    Parts host(pinned_.reserve(token_bytes_));
    return lay_out_tokens(network_, order.tokens, host);
  }

  OrderResult order() override {
    const DeviceScope scope(device_);
    const std::size_t n = order_.tokens.n;
    const auto lay_out_result = [&](Parts& parts, gpu::TieCounts*& ties) {
      ties = parts.take<gpu::TieCounts>(1);
      return parts.take<std::uint32_t>(n);
    };
    gpu::TieCounts* ties = nullptr;
    Parts count;
    lay_out_result(count, ties);
    Parts parts(results_.reserve(count.used()));
    std::uint32_t* const rows = lay_out_result(parts, ties);
    upload();
    sort_by_key(order_, network_.input_channels, on_device_.surface, order_memory_, stream_.handle());
    runtime::copy_to_host(ties, order_memory_.ties, sizeof *ties, stream_.handle());
    runtime::copy_to_host(rows, order_memory_.sorted_rows, n * sizeof *rows, stream_.handle());
    runtime::synchronise(stream_.handle());
    if (ties->longest > 1) {
      const std::uint32_t* const sorted =
          sort_ties(order_, network_.input_channels, on_device_.surface, order_memory_,
                    static_cast<std::size_t>(ties->longest), stream_.handle());
      runtime::copy_to_host(rows, sorted, n * sizeof *rows, stream_.handle());
      runtime::synchronise(stream_.handle());
    }
    busy_ = false;
    return {rows, static_cast<std::size_t>(ties->ties), static_cast<std::size_t>(ties->longest_kept)};
  }

  std::size_t frame_bytes(const FrameDescription& frame) const override {
    Parts parts;
    lay_out_tokens(network_, frame, parts);
    lay_out(network_, frame, parts);
    return parts.used();
  }

  FrameStaging begin(const FrameDescription& frame) override {
    const DeviceScope scope(device_);
    start();
    frame_ = frame;
    reserve(frame_bytes(frame_), frame_.surface.n, "a frame");
    Parts device(memory_.data());
    on_device_ = lay_out_tokens(network_, frame_, device);
    token_bytes_ = device.used();
    work_ = lay_out(network_, frame_, device);
    Parts host(pinned_.reserve(token_bytes_));
    return lay_out_tokens(network_, frame_, host);
  }

  void embed() override {
    const DeviceScope scope(device_);
    upload();
    runtime::fill(work_.counts, 0, kNumCounts * sizeof *work_.counts, stream_.handle());
    run_.emplace(network_, weights_, frame_, on_device_, work_, stream_.handle());
    run_->embed();
  }

  void summarise(std::size_t layer) override {
    const DeviceScope scope(device_);
    run_->summarise(layer);
  }
  void answer_surface(std::size_t layer) override {
    const DeviceScope scope(device_);
    run_->answer_surface(layer);
  }
  void answer_queries(std::size_t layer) override {
    const DeviceScope scope(device_);
    run_->answer_queries(layer);
  }
  void answer_wanted(std::size_t layer) override {
    const DeviceScope scope(device_);
    run_->answer_wanted(layer);
  }

  void wait() override {
    const DeviceScope scope(device_);
    runtime::synchronise(stream_.handle());
  }

  FrameResult finish() override {
    const DeviceScope scope(device_);
    const std::size_t size = frame_.num_answers * network_.output_width();
    Parts count;
    lay_out_results(size, count);
    Parts parts(results_.reserve(count.used()));
    const Results results = lay_out_results(size, parts);
    runtime::copy_to_host(results.rows, run_->output(), size * sizeof(float), stream_.handle());
    runtime::copy_to_host(results.counts, work_.counts, kNumCounts * sizeof *work_.counts, stream_.handle());
    runtime::synchronise(stream_.handle());
    busy_ = false;
    return {results.rows, results.counts[0], results.counts[1]};
  }

 private:
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
  FrameStaging on_device_;
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
