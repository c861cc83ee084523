// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "attention/placement.h"
#include "exec/parallel.h"
#include "reference/summarise.h"

namespace pcl_attention::reference {
namespace {

constexpr double kLeastColumnSum = 1e-6;  // of `position`: below it no point reaches the anchor

using Projections = std::vector<std::unique_ptr<ProjectionRows>>;

/// Σ e xᵀ and Σ e of some points, for every projection of the layer.
struct Partial {
  std::vector<Matrix> products;  ///< [k × C]
  std::vector<RowVector> sums;   ///< [k]
};

Partial accumulate(const Projections& projections, std::size_t k, const Layer& layer,
                   const SurfaceRows& surface, std::size_t chunk) {
  const std::size_t begin = chunk * kChunkPoints, end = std::min(begin + kChunkPoints, surface.rank.size());
  const Matrix x = layer.attention_input(surface.x.middleRows(index(begin), index(end - begin)));
  RowVector e(index(k));
  Partial partial;
  for (const auto& projection : projections) {
    Matrix product = Matrix::Zero(index(k), x.cols());
    RowVector sum = RowVector::Zero(index(k));
    for (std::size_t i = begin; i < end; ++i) {
      if (surface.rank[i] < 0) continue;
      projection->row(surface.place(i), e.data());
      for (Index j = 0; j < e.size(); ++j)
        if (e(j) != 0.0) product.row(j) += e(j) * x.row(index(i - begin));
      sum += e;
    }
    partial.products.push_back(std::move(product));
    partial.sums.push_back(std::move(sum));
  }
  return partial;
}

void merge(Partial& left, const Partial& right) {
  for (std::size_t i = 0; i < left.products.size(); ++i) {
    left.products[i] += right.products[i];
    left.sums[i] += right.sums[i];
  }
}

/// Divides the slots' sums by Σ e and marks those that nothing reaches.
void normalise(Partial& partial, Summary& summary) {
  summary.masked.assign(static_cast<std::size_t>(partial.sums[0].size()), false);
  for (Index j = 0; j < partial.sums[0].size(); ++j) {
    if (partial.sums[0](j) < kLeastColumnSum)
      summary.masked[static_cast<std::size_t>(j)] = true;
    else
      partial.products[0].row(j) /= partial.sums[0](j);
  }
}

/// Returns (E X) W_hᵀ + b 1ᵀ for the columns of head h.
Matrix project_head(const Matrix& product, const RowVector& bias, const Linear& map, Index first,
                    Index width) {
  Matrix result = Matrix::Zero(product.rows(), width);
  for (Index j = 0; j < product.rows(); ++j) {
    for (Index c = 0; c < product.cols(); ++c)
      result.row(j) += product(j, c) * map.transposed().row(c).segment(first, width);
    if (bias.size() != 0) result.row(j).array() += bias(j);
  }
  return result;
}

Summary finish(const ModelConfig& config, const Layer& layer, const Projections& projections,
               Partial& partial) {
  Summary summary;
  if (projections[0]->is_normalised()) normalise(partial, summary);
  if (config.projection.kind == Projection::position)
    summary.masked_slots =
        static_cast<std::size_t>(std::count(summary.masked.begin(), summary.masked.end(), true));
  const Index width = index(config.head_width), rows = partial.products[0].rows();
  summary.keys_transposed.resize(index(config.heads) * width, rows);
  summary.values.resize(rows, index(config.heads) * width);
  const bool stored = !layer.projections().empty();
  for (std::size_t head = 0; head < config.heads; ++head) {
    const Index first = index(head) * width;
    const std::size_t e = stored ? layer.key_projection(head) : 0,
                      f = stored ? layer.value_projection(head) : 0;
    summary.keys_transposed.middleRows(first, width) =
        project_head(partial.products[e], projections[e]->bias(), layer.key(), first, width).transpose();
    summary.values.middleCols(first, width) =
        project_head(partial.products[f], projections[f]->bias(), layer.value(), first, width);
  }
  return summary;
}

}  // namespace

Projections make_projections(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                             const SurfaceFacts& facts) {
  Projections result;
  if (config.projection.kind == Projection::segment_mean)
    result.push_back(make_segment_rows(config.projected_rows(layer_index), facts));
  if (config.projection.kind == Projection::position)
    result.push_back(make_position_rows(config.projection, layer.position(), facts));
  const bool smooth = config.projection.kind == Projection::smooth;
  for (const auto& map : layer.projections())
    result.push_back(smooth ? make_smooth_rows(*map, config.projection.length, facts)
                            : make_stored_rows(*map, facts));
  return result;
}

Summary summarise_linformer(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                            const SurfaceRows& surface) {
  const std::size_t k = config.projected_rows(layer_index);
  const Projections projections = make_projections(config, layer_index, layer, surface.facts);
  Partial partial = tree_reduce(
      0, surface.num_chunks(),
      [&](std::size_t chunk) { return accumulate(projections, k, layer, surface, chunk); }, merge);
  return finish(config, layer, projections, partial);
}

}  // namespace pcl_attention::reference
