// SPDX-License-Identifier: BSD-3-Clause
#include "exec/anchor_projection.h"

namespace pcl_attention {
namespace {

using simd::kTilePoints;
constexpr double kLog2E = 1.4426950408889634;

}  // namespace

PackedPosition::PackedPosition(const Model& model) {
  const PositionWeights weights = position_weights(model);
  anchors = weights.anchors;
  mlp_in = PackedLinear(weights.mlp_in);
  mlp_out = PackedLinear(weights.mlp_out, static_cast<float>(kLog2E));
}

void AnchorProjection::prepare(const ProjectionConfig& config, const PackedPosition& learned,
                               const SurfaceLayout& layout, const Placement& placement) {
  if (learned.anchors != nullptr) return place_learned(*learned.anchors, config.sigma);
  grid_.prepare(config, layout, placement);
  place_grid();
}

void AnchorProjection::place_learned(const Tensor& anchors, double sigma) {
  num_anchors_ = anchors.shape[0];
  anchors_.resize(3 * num_anchors_);
  for (std::size_t i = 0; i < anchors_.size(); ++i)
    anchors_[i % 3 * num_anchors_ + i / 3] = anchors.values[i];
  factor_.fill(static_cast<float>(-0.5 * kLog2E / (sigma * sigma)));
}

void AnchorProjection::place_grid() {
  const std::size_t size[3] = {grid_.anchors(0).size(), grid_.anchors(1).size(), grid_.anchors(2).size()};
  num_anchors_ = size[0] * size[1] * size[2];
  anchors_.resize(3 * num_anchors_);
  for (std::size_t j = 0; j < num_anchors_; ++j) {
    anchors_[j] = grid_.anchors(0)[j / (size[1] * size[2])];
    anchors_[num_anchors_ + j] = grid_.anchors(1)[j / size[2] % size[1]];
    anchors_[2 * num_anchors_ + j] = grid_.anchors(2)[j % size[2]];
  }
  for (std::size_t axis = 0; axis < 3; ++axis) factor_[axis] = grid_.factor(axis);
}

std::size_t AnchorProjection::scratch_size(std::size_t num_slots, std::size_t mlp_width) {
  return (3 + mlp_width + 2 * padded_slots(num_slots)) * kTilePoints;
}

void AnchorProjection::panels(const PackedPosition& learned, const SurfaceLayout& layout, TileRange range,
                              const double* positions, float* scratch, float* out) const {
  const std::size_t padded = padded_slots(num_anchors_);
  float *position = scratch, *scores = position + 3 * kTilePoints, *sum = scores + padded * kTilePoints,
        *inner = sum + padded * kTilePoints;
  for (std::size_t i = 0; i < 3 * kTilePoints; ++i) position[i] = static_cast<float>(positions[i]);
  simd::anchor_scores(position, anchors_.data(), num_anchors_, factor_.data(), scores);
  if (learned.mlp_in.exists()) {
    simd::linear(learned.mlp_in.map(), position, simd::Finish::gelu, nullptr, inner);
    simd::linear(learned.mlp_out.map(), inner, simd::Finish::add, scores, sum);
    scores = sum;
  }
  simd::softmax_panels(scores, num_anchors_, padded, out);
  clear_left_out(layout, range, padded, out);
}

}  // namespace pcl_attention
