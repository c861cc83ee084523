// SPDX-License-Identifier: BSD-3-Clause
#include "reference/received.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "attention/placement.h"
#include "exec/parallel.h"
#include "reference/summarise.h"
#include "reference/tiles.h"

namespace pcl_attention::reference {
namespace {

RowVector through_projection(const LayerView& view, std::size_t head, const RowVector& mean) {
  const Layer& layer = view.network.layers[view.layer];
  const auto projections = make_projections(view.network.config, view.layer, layer, view.source.facts);
  const ProjectionRows& rows = *projections[layer.projections().empty() ? 0 : layer.key_projection(head)];
  RowVector e(mean.size()), column = RowVector::Ones(mean.size());
  const auto each = [&](const auto& body) {
    for (std::size_t i = 0; i < view.source.rank.size(); ++i) {
      if (view.source.rank[i] < 0) continue;
      rows.row(view.source.place(i), e.data());
      body(index(i));
    }
  };
  if (rows.is_normalised()) {
    column.setZero();
    each([&](Index) { column += e; });
  }
  RowVector received = RowVector::Zero(index(view.source.rank.size()));
  each([&](Index i) {
    for (Index c = 0; c < mean.size(); ++c)
      if (mean(c) != 0.0) received(i) += std::abs(e(c)) / column(c) * mean(c);
  });
  return received;
}

RowVector through_points(const LayerView& view, const RowVector& mean) {
  const bool zeroed = view.network.config.masked_points == MaskedPoints::zeroed;
  RowVector received = RowVector::Zero(index(view.source.rank.size()));
  Index slot = 0;
  for (std::size_t i = 0; i < view.source.rank.size(); ++i)
    if (zeroed || view.source.rank[i] >= 0) received(index(i)) = mean(slot++);
  return received;
}

/// Calls body(row, key of all heads) for the rows of the source that take part, in parallel.
template <class Body>
void for_keys(const LayerView& view, const Body& body) {
  const Layer& layer = view.network.layers[view.layer];
  for_each_block(view.source.rank.size(), kTilePoints, [&](std::size_t begin, std::size_t end) {
    const Matrix x = view.source.x.middleRows(index(begin), index(end - begin));
    const Matrix keys = layer.keys(layer.attention_input(x));
    for (std::size_t i = begin; i < end; ++i)
      if (view.source.rank[i] >= 0) body(i, RowVector(keys.row(index(i - begin))));
  });
}

RowVector through_softmax(const LayerView& view, std::size_t head, const RowVector& mean) {
  const Layer& layer = view.network.layers[view.layer];
  const Summary& summary = view.summary;
  RowVector received = RowVector::Zero(index(view.source.rank.size()));
  for_keys(view, [&](std::size_t i, const RowVector& key) {
    const RowVector scores =
        layer.slot_scores(key, view.source.place(i).position, summary.anchors, summary.rows(), index(head));
    for (Index j = 0; j < scores.size(); ++j)
      received(index(i)) +=
          mean(j) * std::exp(scores(j) - summary.largest(j, index(head))) / summary.mass(j, index(head));
  });
  return received;
}

RowVector of_head(const LayerView& view, const RowVector& all, std::size_t head) {
  const Index width = view.network.layers[view.layer].head_width();
  return all.segment(index(head) * width, width);
}

/// Returns Σ_i φ(q_i) / φ(q_i)ᵀz over all points asked.
RowVector mean_features(const LayerView& view, std::size_t head) {
  const Layer& layer = view.network.layers[view.layer];
  const std::size_t n = view.frame.num_answers;
  const auto leaf = [&](std::size_t chunk) {
    RowVector sum = RowVector::Zero(layer.kernel().num_features());
    std::vector<Index> rows;
    for (std::size_t i = chunk * kChunkPoints; i < std::min(n, (chunk + 1) * kChunkPoints); ++i)
      rows.push_back(index(i));
    const auto features = layer.query_features(rows_of(view.asked, std::move(rows)), view.summary, head);
    for (std::size_t i = 0; i < features.phi.size(); ++i)
      if (features.denominator[i] != 0.0) sum += features.phi[i] / features.denominator[i];
    return sum;
  };
  return tree_reduce(0, std::max<std::size_t>(1, (n + kChunkPoints - 1) / kChunkPoints), leaf,
                     [](RowVector& left, const RowVector& right) { left += right; });
}

}  // namespace

RowVector received_through_slots(const LayerView& view, std::size_t head, const RowVector& mean) {
  const Mechanism mechanism = view.network.config.mechanism;
  if (mechanism == Mechanism::full) return through_points(view, mean);
  return mechanism == Mechanism::linformer ? through_projection(view, head, mean)
                                           : through_softmax(view, head, mean);
}

RowVector received_through_features(const LayerView& view, std::size_t head) {
  const Kernel& kernel = view.network.layers[view.layer].kernel();
  const RowVector mean = mean_features(view, head);
  RowVector received = RowVector::Zero(index(view.source.rank.size()));
  for_keys(view, [&](std::size_t i, const RowVector& key) {
    RowVector phi(kernel.num_features());
    kernel.features(of_head(view, key, head), view.summary.key_shift(index(head)), phi);
    received(index(i)) = phi.dot(mean);
  });
  return received;
}

Matrix kernel_weights(const LayerView& view, const AskedRows& asked, std::size_t head) {
  const Kernel& kernel = view.network.layers[view.layer].kernel();
  const auto features = view.network.layers[view.layer].query_features(asked, view.summary, head);
  std::vector<Index> column(view.source.rank.size(), 0);
  Index count = 0;
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = view.source.rank[i] < 0 ? count : count++;
  Matrix weights = Matrix::Zero(asked.x.rows(), count);
  for_keys(view, [&](std::size_t j, const RowVector& key) {
    RowVector phi(kernel.num_features());
    kernel.features(of_head(view, key, head), view.summary.key_shift(index(head)), phi);
    for (Index i = 0; i < weights.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (features.denominator[at] != 0.0)
        weights(i, column[j]) = phi.dot(features.phi[at]) / features.denominator[at];
    }
  });
  return weights;
}

}  // namespace pcl_attention::reference
