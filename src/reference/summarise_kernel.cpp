// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "attention/placement.h"
#include "exec/parallel.h"
#include "reference/summarise.h"

namespace pcl_attention::reference {
namespace {

/// Σ φ(k) vᵀ, Σ φ(k) and Σ ‖k‖² of some points.
struct Partial {
  Matrix values;      ///< [F × H·Dv]
  Matrix mass;        ///< [F × H]
  RowVector squares;  ///< [H]
};

/// Calls body(row of keys, head, key of the head) for the points of a chunk that take part.
template <class Body>
void for_keys(const Layer& layer, const SurfaceRows& surface, std::size_t chunk, const Body& body) {
  const std::size_t begin = chunk * kChunkPoints, end = std::min(begin + kChunkPoints, surface.rank.size());
  const Matrix x = layer.attention_input(surface.x.middleRows(index(begin), index(end - begin)));
  const Matrix keys = layer.keys(x), values = layer.value()(x);
  const Index width = layer.head_width();
  for (std::size_t i = begin; i < end; ++i) {
    if (surface.rank[i] < 0) continue;
    const RowVector value = values.row(index(i - begin));
    for (Index head = 0; head < keys.cols() / width; ++head)
      body(head, RowVector(keys.row(index(i - begin)).segment(head * width, width)), value);
  }
}

/// Returns c of every head: the largest shift of a key.
RowVector largest_shift(const Layer& layer, const SurfaceRows& surface, Index heads) {
  const auto leaf = [&](std::size_t chunk) {
    RowVector largest = RowVector::Constant(heads, std::numeric_limits<double>::lowest());
    for_keys(layer, surface, chunk, [&](Index head, const RowVector& key, const RowVector&) {
      largest(head) = std::max(largest(head), layer.kernel().shift(key));
    });
    return largest;
  };
  return tree_reduce(0, surface.num_chunks(), leaf,
                     [](RowVector& left, const RowVector& right) { left = left.cwiseMax(right).eval(); });
}

Partial accumulate(const Layer& layer, const SurfaceRows& surface, const RowVector& shift,
                   std::size_t chunk) {
  const Index features = layer.kernel().num_features(),
              width = layer.value().transposed().cols() / shift.size();
  Partial partial{Matrix::Zero(features, width * shift.size()), Matrix::Zero(features, shift.size()),
                  RowVector::Zero(shift.size())};
  RowVector phi(features);
  for_keys(layer, surface, chunk, [&](Index head, const RowVector& key, const RowVector& value) {
    layer.kernel().features(key, shift(head), phi);
    for (Index f = 0; f < features; ++f)
      partial.values.row(f).segment(head * width, width) += phi(f) * value.segment(head * width, width);
    partial.mass.col(head) += phi.transpose();
    partial.squares(head) += key.squaredNorm();
  });
  return partial;
}

}  // namespace

Summary summarise_kernel(const ModelConfig& config, const Layer& layer, const SurfaceRows& surface) {
  Summary summary;
  summary.key_shift = largest_shift(layer, surface, index(config.heads));
  Partial sums = tree_reduce(
      0, surface.num_chunks(),
      [&](std::size_t chunk) { return accumulate(layer, surface, summary.key_shift, chunk); },
      [](Partial& left, const Partial& right) {
        left.values += right.values;
        left.mass += right.mass;
        left.squares += right.squares;
      });
  summary.values = std::move(sums.values);
  summary.mass = std::move(sums.mass);
  summary.key_squares = std::move(sums.squares);
  return summary;
}

}  // namespace pcl_attention::reference
