// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "attention/engine.h"
#include "attention/layer_loop.h"
#include "exec/buffer.h"
#include "reference/run.h"

namespace pcl_attention {
namespace {

class ReferenceEngine : public Engine {
 public:
  explicit ReferenceEngine(ModelPtr model) : model_(std::move(model)), network_(*model_) {}

  const std::string& name() const override { return name_; }
  bool is_double() const override { return true; }

  std::size_t memory_estimate(std::size_t n, std::size_t lent) const override {
    const ModelConfig& config = model_->config();
    const std::size_t width = std::max(config.channels, config.inner_channels);
    const std::size_t inner = config.heads * config.head_width;
    const std::size_t slots = config.mechanism == Mechanism::full ? n : config.projected_rows(0, n);
    return lent + sizeof(double) * (n * (2 * width + 3 + config.input.num_channels()) + 2 * slots * inner);
  }

  std::byte* lend(std::size_t size) override { return lent_.reserve(size); }

  EngineResult encode(const Frame& frame, float* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }
  EngineResult encode(const Frame& frame, double* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }

 private:
  template <class T>
  EngineResult run(const Frame& frame, T* out, const EncodeControls& controls) const {
    reference::Run<T> layers(network_, frame, out, controls);
    run_network(model_->config(), frame.queries != nullptr, layers, controls);
    return {layers.masked_slots()};
  }

  ModelPtr model_;
  reference::Network network_;
  Buffer<std::byte> lent_;
  std::string name_ = "reference";
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(ModelPtr model) {
  return std::make_unique<ReferenceEngine>(std::move(model));
}

}  // namespace pcl_attention
