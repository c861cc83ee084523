// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/run.h"

#include <algorithm>
#include <utility>

#include "kernels/embedding.h"
#include "kernels/order.h"

namespace pcl_attention::cuda {
namespace {

std::uint32_t narrow(std::size_t size) { return static_cast<std::uint32_t>(size); }

}  // namespace

Run::Run(const NetworkDescription& network, const DeviceNetwork& weights, const FrameDescription& frame,
         const FrameStaging& staged, const Workspace& work, StreamHandle stream)
    : network_(network),
      weights_(weights),
      frame_(frame),
      work_(work),
      stream_(stream),
      surface_{frame.surface, staged.surface, work.surface},
      queries_{frame.queries, staged.queries, work.queries},
      asked_(staged.asked),
      placement_(staged.placement) {}

void Run::embed() {
  if (frame_.placing != Placing::given) place_surface();
  embed(surface_);
  place_anchors(surface_);
  if (!frame_.has_queries) return;
  embed(queries_);
  if (network_.decoder) place_anchors(queries_);
}

void Run::embed(Surface& surface) {
  const TokenCounts& counts = surface.counts;
  gpu::EmbedRows rows;
  rows.values = surface.tokens.values;
  if (counts.has_positions) {
    const Positions positions = positions_of(counts, network_.input_channels, surface.tokens);
    rows.positions = positions.first;
    rows.position_stride = positions.stride;
    std::copy(frame_.position_channels.begin(), frame_.position_channels.end(), rows.position_channels);
  }
  rows.row = surface.tokens.row;
  rows.n = counts.n;
  rows.num_ranked = counts.num_ranked;
  rows.padded = counts.padded;
  rows.placement = placement_;
  rows.input_channels = narrow(network_.input_channels);
  rows.channels = narrow(network_.channels);
  rows.embedding = weights_.embedding();
  rows.axis_turns = weights_.axis_turns();
  rows.axis_pairs = gpu::num_axis_pairs(rows.channels);
  rows.rank_turns = weights_.rank_turns();
  rows.x = surface.memory.x;
  rows.places = surface.memory.places;
  gpu::embed_rows(rows, stream_);
}

void Run::place_anchors(Surface& surface) {
  const SurfaceMemory& memory = surface.memory;
  if (network_.anchored) {
    runtime::fill(memory.anchors, 0, 3 * network_.layers[0].num_slots * sizeof(float), stream_);
    gpu::gather_rows({memory.places, surface.tokens.anchor, memory.anchors, surface.counts.num_anchors, 3},
                     stream_);
  }
  if (memory.anchor_factor != nullptr) place_grid(surface);
  if (memory.hidden != nullptr)
    apply(weights_.mlp_in(), memory.places, surface.counts.n, nullptr, memory.hidden, gpu::Finish::gelu);
}

/// The rows of the surface that take part, without positions.
gpu::KeptRows Run::kept_rows(const Surface& surface) const {
  gpu::KeptRows rows;
  rows.keep = surface.tokens.keep;
  rows.n = surface.counts.num_ranked;
  rows.scratch = work_.moments;
  return rows;
}

void Run::place_surface() {
  const Positions positions = positions_of(surface_.counts, network_.input_channels, surface_.tokens);
  gpu::KeptRows rows = kept_rows(surface_);
  rows.positions = positions.first;
  rows.stride = positions.stride;
  rows.row = surface_.tokens.row;
  gpu::placement_of_rows(rows, frame_.placing == Placing::unit_sphere, placement_, stream_);
}

/// Lays the grid of anchors over mean ± √3 deviations of the points that take part.
void Run::place_grid(Surface& surface) {
  const SurfaceMemory& memory = surface.memory;
  gpu::KeptRows rows = kept_rows(surface);
  rows.positions = memory.places;
  gpu::spread_of_rows(rows, memory.box, stream_);
  gpu::GridAnchors grid;
  grid.box = memory.box;
  for (std::size_t axis = 0; axis < 3; ++axis) grid.count[axis] = narrow(network_.position.grid[axis]);
  grid.sigma = network_.position.sigma;
  grid.anchors = memory.anchors;
  grid.factor = memory.anchor_factor;
  gpu::place_anchors(grid, stream_);
}

/// y = map(x), with a number added to each row.
void Run::apply(const gpu::LinearMap& map, const float* x, std::size_t rows, const float* row_bias, float* y,
                gpu::Finish finish) const {
  gpu::MatrixProduct product;
  product.a = x;
  product.a_stride = product.inner = map.in;
  product.b = map.weight;
  product.b_stride = product.c_stride = product.columns = map.out;
  product.column_bias = map.bias;
  product.row_bias = row_bias;
  product.c = y;
  product.rows = rows;
  product.finish = finish;
  gpu::matrix_product(product, stream_);
}

gpu::AnswerRows answer_shape(const NetworkDescription& network, const DeviceNetwork& weights,
                             std::size_t index) {
  const LayerDescription& layer = network.layers[index];
  gpu::AnswerRows rows;
  rows.width_in = narrow(layer.width_in);
  rows.width_out = narrow(layer.width_out);
  rows.heads = narrow(network.heads);
  rows.head_width = narrow(network.head_width);
  rows.value_width = narrow(network.value_width);
  rows.maps = weights.layers()[index].maps;
  const bool features = network.summarising == Summarising::features;
  rows.summary.keys = features ? nullptr : weights.layers()[index].key.weight;  // there are some
  return rows;
}

gpu::AnswerRows Run::answer_of(std::size_t layer, const Surface& surface) const {
  gpu::AnswerRows rows = answer_shape(network_, weights_, layer);
  rows.x = surface.memory.x;
  rows.count = surface.counts.total();
  if (network_.anchored) rows.places = surface.memory.places;
  rows.summary = summary_;
  rows.guarded = work_.counts + 1;
  return rows;
}

void Run::answer_all(std::size_t layer, Surface& surface) {
  gpu::AnswerRows rows = answer_of(layer, surface);
  const bool in_place = rows.width_in == rows.width_out;
  rows.y = in_place ? surface.memory.x : surface.memory.next;
  gpu::answer_rows(rows, stream_);
  if (!in_place) std::swap(surface.memory.x, surface.memory.next);
}

void Run::answer_wanted(std::size_t layer) {
  gpu::AnswerRows rows = answer_of(layer, surface_);
  rows.asked = asked_;
  rows.count = frame_.num_answers;
  rows.y = work_.answers;
  gpu::answer_rows(rows, stream_);
}

const float* Run::output() {
  const float* rows = frame_.has_queries ? queries_.memory.x : work_.answers;
  if (work_.headed == nullptr) return rows;
  apply(weights_.head(), rows, frame_.num_answers, nullptr, work_.headed);
  return work_.headed;
}

}  // namespace pcl_attention::cuda
