// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "attention/placement.h"
#include "exec/parallel.h"
#include "reference/summarise.h"

namespace pcl_attention::reference {
namespace {

/// Which of a layer's points a convolution row takes, and how many rows there are.
struct Runs {
  std::size_t stride = 1;
  std::size_t num_rows = 0;
};

/// The rows [first, first + keys.rows()) of K' and V', summed over some points.
struct Partial {
  Index first = 0;
  Matrix keys, values;  ///< [· × H·D]
};

/// Adds W[:,:,t] k to each head's part of `row`. `map` is that head's Wᵀ [D·s × D].
void add_tap(const Linear& map, Index stride, Index tap, Eigen::Ref<const RowVector> k,
             Eigen::Ref<RowVector> row) {
  for (Index c = 0; c < k.size(); ++c) row += k(c) * map.transposed().row(c * stride + tap);
}

Partial accumulate(const ModelConfig& config, const Runs& runs, const Layer& layer,
                   const SurfaceRows& surface, std::size_t chunk) {
  const std::size_t begin = chunk * kChunkPoints, end = std::min(begin + kChunkPoints, surface.rank.size());
  const std::size_t first = std::min(begin / runs.stride, runs.num_rows);
  const std::size_t last = std::min((end + runs.stride - 1) / runs.stride, runs.num_rows);
  const Matrix x = layer.attention_input(surface.x.middleRows(index(begin), index(end - begin)));
  const Matrix keys = layer.key()(x), values = layer.value()(x);
  Partial partial;
  partial.first = index(first);
  partial.keys = partial.values = Matrix::Zero(index(last - first), keys.cols());
  const Index width = index(config.head_width), stride = index(runs.stride);
  for (std::size_t i = begin; i < end; ++i) {
    if (surface.rank[i] < 0) continue;
    const Index row = index(static_cast<std::size_t>(surface.rank[i]) / runs.stride - first);
    const Index tap = index(static_cast<std::size_t>(surface.rank[i]) % runs.stride);
    if (row >= partial.keys.rows()) continue;
    for (std::size_t head = 0; head < config.heads; ++head) {
      const Index at = index(head) * width;
      add_tap(*layer.projections()[layer.key_projection(head)], stride, tap,
              keys.row(index(i - begin)).segment(at, width), partial.keys.row(row).segment(at, width));
      add_tap(*layer.projections()[layer.value_projection(head)], stride, tap,
              values.row(index(i - begin)).segment(at, width), partial.values.row(row).segment(at, width));
    }
  }
  return partial;
}

/// Puts the right rows behind the left ones; a row that both have is their sum.
void append(Matrix& left, const Matrix& right, Index shared) {
  const Index old = left.rows();
  left.conservativeResize(old + right.rows() - shared, right.cols());
  left.middleRows(old - shared, shared) += right.topRows(shared);
  left.bottomRows(right.rows() - shared) = right.bottomRows(right.rows() - shared);
}

void merge(Partial& left, const Partial& right) {
  const Index shared = std::min(left.first + left.keys.rows() - right.first, right.keys.rows());
  append(left.keys, right.keys, shared);
  append(left.values, right.values, shared);
}

}  // namespace

Summary summarise_convolution(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                              const SurfaceRows& surface) {
  const Runs runs{config.stride(layer_index), config.projected_rows(layer_index, surface.facts.num_ranks)};
  Partial sums = tree_reduce(
      0, surface.num_chunks(),
      [&](std::size_t chunk) { return accumulate(config, runs, layer, surface, chunk); }, merge);
  const Index width = index(config.head_width);
  for (std::size_t head = 0; head < config.heads; ++head) {
    const Index at = index(head) * width;
    sums.keys.middleCols(at, width).rowwise() += layer.projections()[layer.key_projection(head)]->bias();
    sums.values.middleCols(at, width).rowwise() += layer.projections()[layer.value_projection(head)]->bias();
  }
  Summary summary;
  summary.keys_transposed = sums.keys.transpose();
  summary.values = std::move(sums.values);
  return summary;
}

}  // namespace pcl_attention::reference
