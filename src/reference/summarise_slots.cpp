// SPDX-License-Identifier: BSD-3-Clause
// `inducing` and `anchored`: learned queries attend to all points.
#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/placement.h"
#include "exec/parallel.h"
#include "reference/summarise.h"

namespace pcl_attention::reference {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

/// Softmax over some points, short of the division: sums relative to the largest score of each slot and head.
struct Partial {
  Matrix largest, mass;  ///< [k × H]
  Matrix keys, values;   ///< [k × H·D]
};

void scale_rows(Partial& partial, const Matrix& largest, Index width) {
  for (Index head = 0; head < largest.cols(); ++head)
    for (Index j = 0; j < largest.rows(); ++j) {
      const double old = partial.largest(j, head);
      const double factor = old == kLowest ? 0.0 : std::exp(old - largest(j, head));
      partial.mass(j, head) *= factor;
      partial.keys.row(j).segment(head * width, width) *= factor;
      partial.values.row(j).segment(head * width, width) *= factor;
    }
  partial.largest = largest;
}

void merge(Partial& left, const Partial& right, Index width) {
  const Matrix largest = left.largest.cwiseMax(right.largest);
  Partial other = right;
  scale_rows(left, largest, width);
  scale_rows(other, largest, width);
  left.mass += other.mass;
  left.keys += other.keys;
  left.values += other.values;
}

/// Adds one point to the slots of one head.
void add(const RowVector& scores, const RowVector& key, const RowVector& value, Index head,
         Partial& partial) {
  const Index width = key.size(), first = head * width;
  for (Index j = 0; j < scores.size(); ++j) {
    const double weight = std::exp(scores(j) - partial.largest(j, head));
    partial.mass(j, head) += weight;
    partial.keys.row(j).segment(first, width) += weight * key;
    partial.values.row(j).segment(first, width) += weight * value;
  }
}

Partial accumulate(const Layer& layer, const SurfaceRows& surface, const Matrix& anchors, Index num_slots,
                   std::size_t chunk) {
  const std::size_t begin = chunk * kChunkPoints, end = std::min(begin + kChunkPoints, surface.rank.size());
  const Matrix x = layer.attention_input(surface.x.middleRows(index(begin), index(end - begin)));
  const Matrix keys = layer.keys(x), values = layer.value()(x);
  const Index width = layer.head_width(), heads = keys.cols() / width;
  Partial partial{Matrix::Constant(num_slots, heads, kLowest), Matrix::Zero(num_slots, heads),
                  Matrix::Zero(num_slots, keys.cols()), Matrix::Zero(num_slots, keys.cols())};
  const auto for_points = [&](const auto& body) {
    for (std::size_t i = begin; i < end; ++i) {
      if (surface.rank[i] < 0) continue;
      const RowVector key = keys.row(index(i - begin));
      for (Index head = 0; head < heads; ++head)
        body(index(i - begin), head,
             layer.slot_scores(key, surface.place(i).position, anchors, num_slots, head));
    }
  };
  for_points([&](Index, Index head, const RowVector& scores) {
    partial.largest.col(head) = partial.largest.col(head).cwiseMax(scores.transpose());
  });
  for_points([&](Index row, Index head, const RowVector& scores) {
    add(scores, keys.row(row).segment(head * width, width), values.row(row).segment(head * width, width),
        head, partial);
  });
  return partial;
}

/// Returns the positions of every ⌊n/k⌋-th point that takes part, k of them or all.
Matrix choose_anchors(const SurfaceRows& surface, std::size_t k) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < surface.rank.size(); ++i)
    if (surface.rank[i] >= 0) rows.push_back(index(i));
  const std::size_t count = std::min(k, rows.size()), stride = std::max<std::size_t>(1, rows.size() / k);
  Matrix anchors(index(count), 3);
  for (std::size_t j = 0; j < count; ++j) anchors.row(index(j)) = surface.positions.row(rows[j * stride]);
  return anchors;
}

}  // namespace

Summary summarise_slots(const ModelConfig& config, const Layer& layer, const SurfaceRows& surface) {
  Summary summary;
  Index num_slots = index(config.slots);
  if (config.mechanism == Mechanism::anchored) {
    summary.anchors = choose_anchors(surface, config.slots);
    num_slots = summary.anchors.rows();
  }
  const Index width = layer.head_width();
  Partial sums = tree_reduce(
      0, surface.num_chunks(),
      [&](std::size_t chunk) { return accumulate(layer, surface, summary.anchors, num_slots, chunk); },
      [&](Partial& left, const Partial& right) { merge(left, right, width); });
  summary.masked.assign(static_cast<std::size_t>(num_slots), false);
  for (Index j = 0; j < num_slots; ++j)
    for (Index head = 0; head < sums.mass.cols(); ++head) {
      if (sums.mass(j, head) == 0.0) {  // no point takes part
        summary.masked[static_cast<std::size_t>(j)] = true;
        continue;
      }
      sums.keys.row(j).segment(head * width, width) /= sums.mass(j, head);
      sums.values.row(j).segment(head * width, width) /= sums.mass(j, head);
    }
  summary.keys_transposed = sums.keys.transpose();
  summary.values = std::move(sums.values);
  summary.largest = std::move(sums.largest);
  summary.mass = std::move(sums.mass);
  return summary;
}

}  // namespace pcl_attention::reference
