// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "attention/engine.h"
#include "exec/cpu_run.h"

namespace pcl_attention {
namespace {

class CpuEngine : public Engine {
 public:
  explicit CpuEngine(ModelPtr model)
      : model_(std::move(model)), network_(*model_), name_(std::string("cpu ") + simd::target_name()) {}

  const std::string& name() const override { return name_; }
  bool is_double() const override { return false; }

  std::size_t memory_estimate(std::size_t n, std::size_t lent) const override {
    return CpuWorkspace::size(network_, n, lent);
  }

  std::byte* lend(std::size_t size) override {
    return reinterpret_cast<std::byte*>(workspace_.surface.tiles.reserve((size + 3) / sizeof(float)));
  }

  EngineResult encode(const Frame& frame, float* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }
  EngineResult encode(const Frame& frame, double* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }

 private:
  template <class T>
  EngineResult run(const Frame& frame, T* out, const EncodeControls& controls) {
    workspace_.prepare(network_);
    CpuRun<T> layers(network_, workspace_, frame, out, controls);
    run_network(model_->config(), frame.queries != nullptr, layers, controls);
    return {layers.masked_slots(), layers.guarded_rows()};
  }

  ModelPtr model_;
  CpuNetwork network_;
  CpuWorkspace workspace_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(ModelPtr model) {
  return std::make_unique<CpuEngine>(std::move(model));
}

}  // namespace pcl_attention
