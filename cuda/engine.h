// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/description.h"
#include "cuda/runtime.h"

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
  double* placement = nullptr;     ///< [4] centre and inverse scale: p' = (p − centre) · inverse scale
};

/// What a frame needs beside points that lie on the device.
struct GivenPlaces {
  std::array<double, 4> placement{};   ///< with Placing::given
  std::vector<std::uint32_t> anchors;  ///< ranks
};

/// What sorting left.
struct OrderResult {
  const std::uint32_t* row_of_rank = nullptr;  ///< [n] pinned; until the next call. Null for order_points()
  std::size_t ties = 0, longest_run = 0;       ///< as in OrderDiagnostics
};

/// What a frame left.
struct FrameResult {
  /// [num_answers × output_width] pinned; until the next frame. Null for finish_points()
  const float* rows = nullptr;
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

  // A frame whose points lie on the device: inspect(), begin_points(), order_points() if they are sorted,
  // embed_points(), the layers, finish_points(); or abandon(). Until then all is put on the caller's stream.

  /// Looks at the points, and waits for it. @throws DeviceError if they do not lie on the device
  virtual PointsFound inspect(const PointsDescription& points, StreamHandle stream) = 0;

  /// Makes room as begin() does, for `order`, too, unless null, and makes tokens of the valid points.
  /// @param origin  subtracted from coordinates
  virtual void begin_points(const FrameDescription& frame, const OrderDescription* order,
                            const std::array<double, 3>& origin) = 0;

  /// As order(); the rows stay on the device, as the surface's.
  virtual OrderResult order_points() = 0;

  /// As embed().
  virtual void embed_points(const GivenPlaces& places) = 0;

  /// Writes rows to their points and NaN to invalid ones, and waits for it.
  virtual FrameResult finish_points() = 0;

  /// Waits for what a frame that failed or was given up has put on the caller's stream, and lets go of it.
  virtual void abandon() noexcept = 0;

  /// Waits for what was started.
  virtual void wait() = 0;

  /// Waits for the answers of the last layer and returns them.
  virtual FrameResult finish() = 0;
};

/// Returns an engine with the network's weights on a device. The description may go afterwards.
/// @throws DeviceError, std::invalid_argument for what the kernels cannot hold.
std::unique_ptr<Engine> make_engine(const NetworkDescription& network, int device);

}  // namespace pcl_attention::cuda
