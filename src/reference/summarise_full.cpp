// SPDX-License-Identifier: BSD-3-Clause
#include "attention/placement.h"
#include "exec/parallel.h"
#include "reference/summarise.h"

namespace pcl_attention::reference {

Summary summarise_full(const ModelConfig& config, const Layer& layer, const SurfaceRows& surface,
                       bool causal) {
  const bool zeroed = config.masked_points == MaskedPoints::zeroed;
  std::vector<Index> taking_part;
  for (std::size_t i = 0; i < surface.rank.size(); ++i)
    if (zeroed || surface.rank[i] >= 0) taking_part.push_back(index(i));

  const Index width = layer.key().transposed().cols();
  Summary summary;
  summary.keys_transposed.resize(width, index(taking_part.size()));
  summary.values.resize(index(taking_part.size()), width);
  for_each_block(taking_part.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    Matrix rows(index(end - begin), surface.x.cols());
    for (std::size_t i = begin; i < end; ++i) rows.row(index(i - begin)) = surface.x.row(taking_part[i]);
    const Matrix input = layer.attention_input(rows);
    summary.keys_transposed.middleCols(index(begin), input.rows()) = layer.key()(input).transpose();
    summary.values.middleRows(index(begin), input.rows()) = layer.value()(input);
  });
  for (std::size_t i = 0; i < taking_part.size(); ++i) {
    if (surface.rank[static_cast<std::size_t>(taking_part[i])] >= 0) continue;
    summary.keys_transposed.col(index(i)).setZero();
    summary.values.row(index(i)).setZero();
  }
  if (causal) summary.places = std::move(taking_part);
  return summary;
}

}  // namespace pcl_attention::reference
