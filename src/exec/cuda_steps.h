// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "cuda/engine.h"
#include "pcl_attention/encoder.h"

namespace pcl_attention {

/// The steps of run_network(). Where the caller watches, each step is waited for, so that progress tells what
/// has been done and a cancelled call ends soon; else all are on their way at once.
class CudaSteps {
 public:
  CudaSteps(cuda::Engine& engine, const EncodeControls& controls)
      : engine_(engine), watched_(controls.cancel != nullptr || controls.progress) {}

  void summarise(std::size_t layer) {
    after([&] { engine_.summarise(layer); });
  }
  void answer_surface(std::size_t layer) {
    after([&] { engine_.answer_surface(layer); });
  }
  void answer_queries(std::size_t layer) {
    after([&] { engine_.answer_queries(layer); });
  }
  void answer_wanted(std::size_t layer) {
    after([&] { engine_.answer_wanted(layer); });
  }

 private:
  template <class Step>
  void after(const Step& step) {
    step();
    if (watched_) engine_.wait();
  }

  cuda::Engine& engine_;
  bool watched_;
};

}  // namespace pcl_attention
