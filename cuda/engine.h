// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda/description.h"

namespace pcl_attention::cuda {

/// Pinned memory that the caller fills with a frame's tokens; null where the description has none.
struct TokenStaging {
  float* values = nullptr;          ///< [n × input_channels]
  float* positions = nullptr;       ///< [n × 3]
  std::uint32_t* row = nullptr;     ///< [n]
  std::uint8_t* keep = nullptr;     ///< [n] by rank
  std::uint32_t* anchor = nullptr;  ///< [num_anchors] ranks of the anchors
};

struct FrameStaging {
  TokenStaging surface, queries;
  std::uint32_t* asked = nullptr;  ///< [num_answers] rows of the surface
};

/// What sorting left.
struct OrderResult {
  const std::uint32_t* row_of_rank = nullptr;  ///< [n] pinned; until the next call
  std::size_t ties = 0, longest_run = 0;       ///< as in OrderDiagnostics
};

/// What a frame left.
struct FrameResult {
  const float* rows = nullptr;  ///< [num_answers × output_width] pinned; until the next frame
  std::size_t masked_slots = 0, guarded_rows = 0;
};

/// The layers of one network on one device. Keeps its memory between frames and works on a stream of its own;
/// one thread at a time. A frame: begin(), fill what it returns, embed(), then the layers, finish().
/// All throw DeviceError naming call, size and device. After one, begin() starts anew.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Makes room for sorting, between two frames; the caller fills values, positions and keep.
  virtual TokenStaging begin_order(const OrderDescription& order) = 0;

  /// Sorts: by key, position, values, token; the permutation of canonical_order().
  virtual OrderResult order() = 0;

  /// Returns the bytes on the device that a frame takes beside the weights, as begin() takes them.
  virtual std::size_t frame_bytes(const FrameDescription& frame) const = 0;

  /// Makes room for a frame.
  /// @throws DeviceError if the device has too little memory, with the estimate; a smaller frame may follow.
  virtual FrameStaging begin(const FrameDescription& frame) = 0;

  /// Uploads the tokens and makes the first layer's rows of them.
  virtual void embed() = 0;

  // The steps of run_layers() and run_decoder(); each returns at once.
  virtual void summarise(std::size_t layer) = 0;
  virtual void answer_surface(std::size_t layer) = 0;
  virtual void answer_queries(std::size_t layer) = 0;
  virtual void answer_wanted(std::size_t layer) = 0;

  /// Waits for what was started.
  virtual void wait() = 0;

  /// Waits for the answers of the last layer and returns them.
  virtual FrameResult finish() = 0;
};

/// Returns an engine with the network's weights on a device. The description may go afterwards.
/// @throws DeviceError, std::invalid_argument for what the kernels cannot hold.
std::unique_ptr<Engine> make_engine(const NetworkDescription& network, int device);

}  // namespace pcl_attention::cuda
