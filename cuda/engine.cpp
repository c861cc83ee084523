// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/engine.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "cuda/memory.h"
#include "cuda/run.h"
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

class StreamEngine : public Engine {
 public:
  StreamEngine(const NetworkDescription& network, int device)
      : device_(device),
        scope_(device),
        network_(network),
        stream_(device),
        weights_(network, device, stream_.handle()),
        memory_(device) {
    scope_.reset();
  }

  std::size_t frame_bytes(const FrameDescription& frame) const override {
    Parts parts;
    lay_out_tokens(network_, frame, parts);
    lay_out(network_, frame, parts);
    return parts.used();
  }

  FrameStaging begin(const FrameDescription& frame) override {
    const DeviceScope scope(device_);
    run_.reset();
    runtime::synchronise(stream_.handle());  // a frame that failed may have left work
    frame_ = frame;
    reserve();
    Parts device(memory_.data());
    on_device_ = lay_out_tokens(network_, frame_, device);
    token_bytes_ = device.used();
    work_ = lay_out(network_, frame_, device);
    Parts host(pinned_.reserve(token_bytes_));
    return lay_out_tokens(network_, frame_, host);
  }

  void embed() override {
    const DeviceScope scope(device_);
    runtime::copy_to_device(memory_.data(), pinned_.reserve(token_bytes_), token_bytes_, stream_.handle());
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
    return {results.rows, results.counts[0], results.counts[1]};
  }

 private:
  void reserve() {
    const std::size_t bytes = frame_bytes(frame_);
    if (memory_.reserve(bytes) != nullptr) return;
    throw DeviceError("cuda: a frame of " + std::to_string(frame_.surface.n) + " points takes about " +
                      std::to_string(bytes) + " bytes on device " + std::to_string(device_) + ", which has " +
                      std::to_string(runtime::free_memory()) + " free; give it fewer points, or use the device cpu");
  }

  int device_;
  std::optional<DeviceScope> scope_;  ///< while it is made
  NetworkDescription network_;        ///< of its numbers only whether they are there is asked
  Stream stream_;
  DeviceNetwork weights_;
  DeviceMemory memory_;
  PinnedMemory pinned_, results_;
  FrameDescription frame_;
  FrameStaging on_device_;
  std::size_t token_bytes_ = 0;
  Workspace work_;
  std::optional<Run> run_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(const NetworkDescription& network, int device) {
  return std::make_unique<StreamEngine>(network, device);
}

}  // namespace pcl_attention::cuda
