// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "cuda/engine.h"
#include "cuda/memory.h"
#include "cuda/network.h"
#include "cuda/ordering.h"
#include "cuda/points.h"
#include "cuda/run.h"
#include "cuda/workspace.h"
#include "pcl_attention/error.h"

namespace pcl_attention::cuda {

/// What a frame counts: masked slots, guarded rows.
constexpr std::size_t kNumCounts = 2;

/// The engine: one piece of device memory, and the stream that a frame is on.
class StreamEngine : public Engine {
 public:
  StreamEngine(const NetworkDescription& network, int device);

  // engine.cpp: clouds that are staged
  TokenStaging begin_order(const OrderDescription& order) override;
  OrderResult order() override;
  std::size_t frame_bytes(const FrameDescription& frame) const override;
  FrameStaging begin(const FrameDescription& frame) override;
  void embed() override;
  FrameResult finish() override;

  // engine_points.cpp: clouds that lie on the device
  PointsFound inspect(const PointsDescription& points, StreamHandle stream) override;
  void begin_points(const FrameDescription& frame, const OrderDescription* order,
                    const std::array<double, 3>& origin) override;
  OrderResult order_points() override;
  void embed_points(const GivenPlaces& places) override;
  FrameResult finish_points() override;
  void abandon() noexcept override;

  // engine.cpp: the layers of both
  void summarise(std::size_t layer) override;
  void answer_surface(std::size_t layer) override;
  void answer_queries(std::size_t layer) override;
  void answer_wanted(std::size_t layer) override;
  void wait() override;

 private:
  /// Calls body() with the engine's device current; a kernel that does not start is a DeviceError, too.
  template <class Body>
  auto on_device(const Body& body) -> decltype(body()) {
    const DeviceScope scope(device_);
    try {
      return body();
    } catch (const DeviceError&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw DeviceError("cuda: device " + std::to_string(device_) + ": " + error.what());
    }
  }

  /// Waits for what a frame that failed, or was given up, has left on its stream; the next is on `stream`.
  void start(StreamHandle stream);

  void upload();
  void bring_rows(const std::uint32_t* rows, std::uint32_t* to);
  void start_run();
  FrameResult finish(const float* rows, unsigned long long* counts);

  int device_;
  std::optional<DeviceScope> scope_;  ///< while it is made
  NetworkDescription network_;        ///< of its numbers only whether they are there is asked
  Stream stream_;
  StreamHandle active_;  ///< own, or the caller's
  bool busy_ = false;    ///< a frame or an order has begun on it and not ended
  DeviceNetwork weights_;
  DeviceMemory memory_;
  PinnedMemory pinned_, results_;
  OrderDescription order_;
  OrderMemory order_memory_;
  FrameDescription frame_;
  FrameStaging tokens_;
  std::size_t token_bytes_ = 0;
  Workspace work_;
  std::optional<Run> run_;

  DevicePoints points_;
  TokenStaging sorted_tokens_;  ///< the surface as it is sorted
  Parts behind_tokens_;         ///< the memory that sorting and the layers share
};

/// Returns "100 points".
inline std::string count_points(std::size_t n) { return std::to_string(n) + " points"; }

}  // namespace pcl_attention::cuda
