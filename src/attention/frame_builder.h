// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "attention/answers.h"
#include "attention/engine.h"
#include "attention/surface.h"
#include "neighbourhood/neighbourhood.h"
#include "tokens/gather.h"

namespace pcl_attention {

/// Makes frames of clouds: gathers, orders, chooses what is answered. Keeps its memory between frames.
class FrameBuilder {
 public:
  /// @param engine  lends the memory for sorting; it and config outlive the builder
  FrameBuilder(const ModelConfig& config, const EncoderOptions& options, Engine& engine);

  /// Returns the frame of an input, checked; valid until the next call. Adds to seconds.gather, .order and
  /// .neighbourhood.
  /// @throws as Encoder::encode() does
  Frame build(const EncodeInput& input, StageSeconds& seconds);

  /// Returns a cloud on the engine's device, checked but for its numbers; valid until the next call.
  /// @throws as Encoder::encode_on_device() does
  DeviceCloud on_device(const DeviceInput& input);

  // Of the last frame.
  const Surface& surface() const { return surface_; }
  const std::vector<std::uint32_t>& answered() const {
    return *answered_;
  }                                                   ///< rows of the output, ascending
  std::size_t num_rows() const { return num_rows_; }  ///< of the output

  /// Returns the bytes that a frame of n points takes here, and those lent for it.
  std::size_t size(std::size_t num_points) const;
  std::size_t lent(std::size_t num_points) const;

 private:
  Curve curve() const { return options_.order.value_or(config_.order); }
  LengthPolicy length_policy() const { return options_.length.value_or(config_.projection.length_policy); }
  Frame of_surface() const;
  void answer_queries(const EncodeInput& input, Frame& frame);
  void answer_points(const EncodeInput& input, Frame& frame);
  void add_answers(const EncodeInput& input, Frame& frame);

  const ModelConfig& config_;
  EncoderOptions options_;
  Engine& engine_;
  GatherOptions gathering_, query_gathering_;
  GatherWorkspace workspace_;
  Surface surface_, queries_;
  Neighbourhood neighbourhood_;
  TokenRows query_rows_;
  ChosenPoints chosen_;
  const std::vector<std::uint32_t>* answered_ = nullptr;
  std::size_t num_rows_ = 0;
};

}  // namespace pcl_attention
