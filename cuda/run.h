// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "cuda/network.h"
#include "cuda/workspace.h"
#include "kernels/order.h"
#include "kernels/rows.h"

namespace pcl_attention::cuda {

/// Returns widths and maps of a layer's answers.
gpu::AnswerRows answer_shape(const NetworkDescription& network, const DeviceNetwork& weights,
                             std::size_t layer);

/// One frame on its way through the layers: puts kernels on the stream and returns.
class Run {
 public:
  /// @param staged  the frame's tokens in device memory
  /// All outlive the run.
  Run(const NetworkDescription& network, const DeviceNetwork& weights, const FrameDescription& frame,
      const FrameStaging& staged, const Workspace& work, StreamHandle stream);

  /// Makes the first layer's rows, and what stays the same through all layers.
  void embed();
  void summarise(std::size_t layer);
  void answer_surface(std::size_t layer) { answer_all(layer, surface_); }
  void answer_queries(std::size_t layer) { answer_all(layer, queries_); }
  void answer_wanted(std::size_t layer);

  /// Puts the output head behind the last layer. Returns the output rows, in device memory.
  const float* output();

 private:
  /// A surface with its rows as they are now.
  struct Surface {
    const TokenCounts& counts;
    const TokenStaging& tokens;
    SurfaceMemory memory;
  };

  // run.cpp
  gpu::KeptRows kept_rows(const Surface& surface) const;
  void embed(Surface& surface);
  void place_surface();
  void place_anchors(Surface& surface);
  void place_grid(Surface& surface);
  void answer_all(std::size_t layer, Surface& surface);
  gpu::AnswerRows answer_of(std::size_t layer, const Surface& surface) const;
  void apply(const gpu::LinearMap& map, const float* x, std::size_t rows, const float* row_bias, float* y,
             gpu::Finish finish = gpu::Finish::none) const;

  // summarise.cpp
  void summarise(std::size_t layer, Surface& surface, const float* seen);
  void summarise_rows(std::size_t layer, Surface& surface, const float* seen);
  void summarise_cosines(std::size_t layer, Surface& surface, const float* seen);
  void summarise_direct(std::size_t layer, Surface& surface);
  void summarise_slots(std::size_t layer, Surface& surface);
  void summarise_features(std::size_t layer, Surface& surface);
  void summarise_points(std::size_t layer, Surface& surface);
  void convolve(std::size_t layer, Surface& surface);
  void sum_rows(std::size_t layer, Surface& surface, const gpu::PointSums& sums);
  void make_point_keys(std::size_t layer, const Surface& surface, const float* seen);
  gpu::PointSums sums_of(const Surface& surface, const float* x, std::size_t x_stride, std::size_t channels,
                         std::size_t batches, std::size_t slots) const;
  gpu::PointSums sums_of_heads(const Surface& surface, const float* x, std::size_t width,
                               std::size_t slots) const;
  gpu::FinishSums merged(const gpu::PointSums& sums);
  void finish_heads(const gpu::PointSums& sums, float* rows, const float* const* bias, bool normalised,
                    const float* largest);
  gpu::SurfaceView view(const Surface& surface) const;

  const NetworkDescription& network_;
  const DeviceNetwork& weights_;
  const FrameDescription& frame_;
  const Workspace& work_;
  StreamHandle stream_;
  Surface surface_, queries_;
  const std::uint32_t* asked_;
  double* placement_;
  gpu::SummaryView summary_;
};

}  // namespace pcl_attention::cuda
