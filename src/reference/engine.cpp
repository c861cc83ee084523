// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "attention/engine.h"
#include "attention/layer_loop.h"
#include "exec/buffer.h"
#include "reference/observer.h"
#include "reference/run.h"

namespace pcl_attention {
namespace {

/// Shows each layer to an observer.
template <class T>
struct ObservedRun : reference::Run<T> {
  using Base = reference::Run<T>;

  ObservedRun(const reference::Network& the_network, const Frame& the_frame, T* out,
              const EncodeControls& controls, reference::Observer* the_observer)
      : Base(the_network, the_frame, out, controls),
        network(the_network),
        frame(the_frame),
        observer(the_observer) {}

  void summarise(std::size_t layer) {
    Base::summarise(layer);
    if (observer != nullptr)
      observer->look({layer, network, frame, Base::source(layer), Base::asked(), Base::summary()});
  }

  const reference::Network& network;
  const Frame& frame;
  reference::Observer* observer;
};

class ReferenceEngine : public Engine {
 public:
  explicit ReferenceEngine(ModelPtr model, reference::Observer* observer = nullptr)
      : model_(std::move(model)), network_(*model_), observer_(observer) {}

  const std::string& name() const override { return name_; }
  bool is_double() const override { return true; }

  std::size_t memory_estimate(std::size_t n, std::size_t lent) const override {
    const ModelConfig& config = model_->config();
    const std::size_t width = std::max(config.channels, config.inner_channels);
    const std::size_t inner = config.heads * config.head_width;
    const std::size_t slots = config.projected_rows(0, n);
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
    ObservedRun<T> layers(network_, frame, out, controls, observer_);
    run_network(model_->config(), frame.queries != nullptr, layers, controls);
    return {layers.masked_slots(), layers.guarded_rows()};
  }

  ModelPtr model_;
  reference::Network network_;
  reference::Observer* observer_;
  Buffer<std::byte> lent_;
  std::string name_ = "reference";
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(ModelPtr model) {
  return std::make_unique<ReferenceEngine>(std::move(model));
}

std::unique_ptr<Engine> reference::make_observed_engine(ModelPtr model, Observer& observer) {
  return std::make_unique<ReferenceEngine>(std::move(model), &observer);
}

}  // namespace pcl_attention
