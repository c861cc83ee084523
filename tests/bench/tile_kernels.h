// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "exec/tile_projection.h"
#include "pcl_attention/config.h"
#include "simd/kernels.h"

namespace pcl_attention::bench {

/// A kernel on one tile with the least work it stands for.
struct Kernel {
  std::string name;
  double flops = 0.0, exponentials = 0.0;  ///< of one call
  std::function<void()> run;               ///< TileKernels::kRepeats calls
};

/// The kernels of src/simd on tiles as the cpu engine calls them in one layer.
class TileKernels {
 public:
  static constexpr int kRepeats = 200;

  explicit TileKernels(const ModelConfig& config);
  const std::vector<Kernel>& all() const { return kernels_; }

 private:
  float* numbers(std::size_t count);
  void add_linear(const std::string& name, std::size_t rows, std::size_t columns, simd::Finish finish);
  void add_attend(const ModelConfig& config);
  void add_norm(std::size_t channels);
  void add_accumulate(std::size_t channels, std::size_t slots);
  void add(const std::string& name, double flops, double exponentials, const std::function<void()>& call);

  std::vector<Buffer<float>> memory_;
  std::vector<std::vector<double>> sums_;
  std::vector<Kernel> kernels_;
};

}  // namespace pcl_attention::bench
