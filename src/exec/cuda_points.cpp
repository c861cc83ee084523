// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda_points.h"

#include <algorithm>

#include "attention/frame.h"
#include "attention/layer_loop.h"
#include "attention/placement.h"
#include "attention/stopwatch.h"
#include "exec/cuda_description.h"
#include "exec/cuda_steps.h"
#include "ordering/order.h"
#include "tokens/gather.h"

namespace pcl_attention {
namespace {

/// One cloud on its way. What goes wrong is waited for, so that the caller's stream may go.
class PointsCall {
 public:
  PointsCall(cuda::Engine& engine, const ModelConfig& config, const DeviceCloud& cloud)
      : engine_(engine), config_(config), cloud_(cloud) {}
  ~PointsCall() {
    if (!done_) engine_.abandon();
  }
  PointsCall(const PointsCall&) = delete;
  PointsCall& operator=(const PointsCall&) = delete;

  EncodeResult run(float* out, const EncodeControls& controls) {
    Stopwatch watch;
    inspect(out);
    result_.seconds.gather = watch.lap();
    if (found_.valid.count != 0) {
      begin();
      result_.seconds.order = watch.lap();
      engine_.embed_points(places());
      CudaSteps steps(engine_, controls);
      run_network(config_, false, steps, controls);
    }
    const cuda::FrameResult ran = engine_.finish_points();
    done_ = true;
    result_.masked_slots = ran.masked_slots;
    result_.guarded_rows = ran.guarded_rows;
    result_.seconds.encode = watch.lap();
    return result_;
  }

 private:
  void inspect(float* out) {
    found_ = engine_.inspect(describe_points(cloud_, out), cloud_.input.stream);
    result_.num_rows = cloud_.input.surface.num_points();
    result_.width = config_.output_width();
    result_.num_valid = found_.valid.count;
    result_.num_nan_rows = result_.num_rows - result_.num_valid;
    Extent extent;
    if (found_.valid.count != 0) extent.add(found_.valid.low, found_.valid.high);
    origin_ = choose_origin(config_.input, cloud_.gathering, extent);
    result_.coordinate_step = largest_step(cloud_.columns, extent, origin_);
  }

  bool is_sorted() const { return cloud_.curve != Curve::none; }
  bool is_masked() const { return cloud_.input.key_mask != nullptr; }
  std::size_t num_ranked() const { return is_sorted() ? found_.kept.count : found_.valid.count; }

  void begin() {
    const cuda::FrameDescription frame = describe_frame();
    if (!is_sorted()) return engine_.begin_points(frame, nullptr, origin_);
    const PositionBox box = kept_box();
    const CellGrid cells = cell_grid(box, origin_, cloud_.grid);
    cuda::TokenCounts tokens = frame.surface;
    tokens.has_keep = is_masked();
    const cuda::OrderDescription order =
        describe_order(tokens, cells, cloud_.curve, differing_bits(is_masked(), box, cells, cloud_.curve));
    engine_.begin_points(frame, &order, origin_);
    const cuda::OrderResult ties = engine_.order_points();
    result_.order = diagnose({ties.ties, ties.longest_run}, box, cells);
  }

  /// Coordinates are rounded as tokens are, so that this is the tokens' box.
  PositionBox kept_box() const {
    PositionBox box;
    for (std::size_t axis = 0; axis < 3 && found_.kept.count != 0; ++axis) {
      box.low[axis] = static_cast<double>(static_cast<float>(found_.kept.low[axis] - origin_[axis]));
      box.high[axis] = static_cast<double>(static_cast<float>(found_.kept.high[axis] - origin_[axis]));
    }
    return box;
  }

  cuda::FrameDescription describe_frame() const {
    Frame frame;
    frame.num_ranked = num_ranked();
    frame.length_policy = cloud_.length_policy;
    check_frame(config_, frame);
    cuda::FrameDescription result;
    result.surface.n = result.num_answers = found_.valid.count;
    result.surface.num_ranked = frame.num_ranked;
    result.surface.padded = num_padded(config_, frame);
    result.surface.first_position = cloud_.first_position;
    result.surface.has_positions = cloud_.first_position >= 0 || cloud_.gathering.positions;
    result.surface.has_rows = is_sorted();
    result.surface.has_keep = is_masked() && !is_sorted();  // the order has put the others behind num_ranked
    if (config_.mechanism == Mechanism::anchored)
      result.surface.num_anchors = anchors_of(config_, found_.kept.count).count;
    if (result.surface.has_positions) result.position_channels = position_channels(cloud_.columns);
    result.placing = placing(config_.input.normalization);
    result.resample = cloud_.length_policy == LengthPolicy::resample;
    return result;
  }

  static cuda::Placing placing(Normalization normalization) {
    switch (normalization) {
      case Normalization::centred:
        return cuda::Placing::centroid;
      case Normalization::unit_sphere:
        return cuda::Placing::unit_sphere;
      case Normalization::none:
      case Normalization::metric:
        break;
    }
    return cuda::Placing::given;
  }

  cuda::GivenPlaces places() const {
    cuda::GivenPlaces places;
    const Placement placement = make_placement(config_.input, {}, nullptr, origin_);
    std::copy(placement.centre.begin(), placement.centre.end(), places.placement.begin());
    places.placement[3] = placement.inverse_scale;
    if (config_.mechanism != Mechanism::anchored) return places;
    const Anchors anchors = anchors_of(config_, found_.kept.count);
    for (std::size_t i = 0; i < anchors.count; ++i)
      places.anchors.push_back(static_cast<std::uint32_t>(i * anchors.stride));
    return places;
  }

  cuda::Engine& engine_;
  const ModelConfig& config_;
  const DeviceCloud& cloud_;
  cuda::PointsFound found_;
  std::array<double, 3> origin_{};
  EncodeResult result_;
  bool done_ = false;
};

}  // namespace

EncodeResult encode_points(cuda::Engine& engine, const ModelConfig& config, const DeviceCloud& cloud,
                           float* out, const EncodeControls& controls) {
  return PointsCall(engine, config, cloud).run(out, controls);
}

}  // namespace pcl_attention
