// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include <unistd.h>

#include <cstdio>

namespace pcl_attention::command {

Progress::Progress(const Encoder& encoder, std::size_t num_points, std::size_t runs)
    : terminal_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {
  const double operations = encoder.flop_estimate(num_points) * static_cast<double>(runs);
  long_work_ = operations > 1e11;
  if (!long_work_) return;
  const double megabytes = static_cast<double>(encoder.memory_estimate(num_points)) / 1e6;
  std::fprintf(stderr, "estimate: %.2g operations, %.0f MB\n", operations, megabytes);
}

Progress::~Progress() {
  if (terminal_ && shown_ >= 0) std::fprintf(stderr, "\n");
}

std::function<void(double)> Progress::callback() {
  if (!long_work_) return {};
  return [this](double done) { show(done); };
}

EncodeControls Progress::controls() {
  EncodeControls controls;
  controls.progress = callback();
  return controls;
}

void Progress::show(double done) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  if (!told_time_ && done > 0.0) {
    told_time_ = true;
    if (done < 1.0) std::fprintf(stderr, "estimate: about %.0f s\n", spent.count() / done);
  }
  const int percent = static_cast<int>(done * 100.0);
  const int step = terminal_ ? 1 : 10;
  if (percent / step <= shown_ / step && shown_ >= 0) return;
  if (!terminal_ && spent.count() < 2.0) return;
  shown_ = percent;
  std::fprintf(stderr, terminal_ ? "\r%3d %%" : "%3d %%\n", percent);
  std::fflush(stderr);
}

}  // namespace pcl_attention::command
