// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "cuda/stream_engine.h"

namespace pcl_attention::cuda {
namespace {

/// What is staged of a frame whose points lie on the device.
struct PlacesStaging {
  PlacesStaging(std::size_t num_anchors, Parts& parts)
      : placement(parts.take<double>(4)), anchors(parts.take<std::uint32_t>(num_anchors)) {}

  double* placement;
  std::uint32_t* anchors;
};

}  // namespace

PointsFound StreamEngine::inspect(const PointsDescription& points, StreamHandle stream) {
  return on_device([&] {
    start(stream);
    return points_.inspect(points, stream);
  });
}

/// Memory: the tokens; behind them what sorts, and afterwards in its place what the layers need.
void StreamEngine::begin_points(const FrameDescription& frame, const OrderDescription* order,
                                const std::array<double, 3>& origin) {
  on_device([&] {
    frame_ = frame;
    const std::size_t n = frame.surface.n, scratch = order == nullptr ? 0 : sort_scratch_bytes(n);
    const auto lay_out_sorting = [&](Parts& parts) {
      sorted_tokens_ = tokens_.surface;
      if (order == nullptr) return;
      order_ = *order;
      order_memory_ = lay_out_order(n, scratch, parts);
      if (order->tokens.has_keep) sorted_tokens_.keep = parts.take<std::uint8_t>(n);
    };
    Parts sorting;
    lay_out_tokens(network_, frame_, sorting);
    lay_out_sorting(sorting);
    const std::size_t bytes = std::max(sorting.used(), frame_bytes(frame_));
    Parts parts(memory_.require(bytes, "a frame of " + count_points(n)));
    tokens_ = lay_out_tokens(network_, frame_, parts);
    behind_tokens_ = parts;
    lay_out_sorting(parts);
    points_.read(origin, network_.input_channels, sorted_tokens_, active_);
  });
}

OrderResult StreamEngine::order_points() {
  return on_device([&] {
    const std::size_t channels = network_.input_channels;
    gpu::TieCounts* const ties = lay_out_pinned<Staged<gpu::TieCounts>>(1, results_).numbers;
    sort_by_key(order_, channels, sorted_tokens_, order_memory_, active_);
    runtime::copy_to_host(ties, order_memory_.ties, sizeof *ties, active_);
    runtime::synchronise(active_);
    const auto longest = static_cast<std::size_t>(ties->longest);
    const std::uint32_t* const rows =
        longest > 1 ? sort_ties(order_, channels, sorted_tokens_, order_memory_, longest, active_)
                    : order_memory_.sort.sorted_rows;
    runtime::copy_on_device(tokens_.surface.row, rows, order_.tokens.n * sizeof *rows, active_);
    return OrderResult{nullptr, static_cast<std::size_t>(ties->ties),
                       static_cast<std::size_t>(ties->longest_kept)};
  });
}

void StreamEngine::embed_points(const GivenPlaces& places) {
  on_device([&] {
    work_ = lay_out(network_, frame_, behind_tokens_);
    const auto staging = lay_out_pinned<PlacesStaging>(places.anchors.size(), pinned_);
    std::copy(places.placement.begin(), places.placement.end(), staging.placement);
    std::copy(places.anchors.begin(), places.anchors.end(), staging.anchors);
    runtime::copy_to_device(tokens_.placement, staging.placement, sizeof places.placement, active_);
    runtime::copy_to_device(tokens_.surface.anchor, staging.anchors,
                            places.anchors.size() * sizeof *staging.anchors, active_);
    start_run();
  });
}

FrameResult StreamEngine::finish_points() {
  return on_device([&] {
    points_.scatter(run_ ? run_->output() : nullptr, tokens_.surface.row, network_.output_width(), active_);
    auto* const counts = lay_out_pinned<Staged<unsigned long long>>(kNumCounts, results_).numbers;
    if (run_) return finish(nullptr, counts);
    runtime::synchronise(active_);
    busy_ = false;
    return FrameResult{};
  });
}

void StreamEngine::abandon() noexcept {
  const DeviceScope scope(device_);
  try {
    start(stream_.handle());
  } catch (const DeviceError&) {  // it sticks: the next call of the runtime throws it again
  }
  active_ = stream_.handle();
  busy_ = false;
}

}  // namespace pcl_attention::cuda
