// SPDX-License-Identifier: BSD-3-Clause
#include "attention/surface.h"

#include <algorithm>

#include "attention/placement.h"
#include "exec/parallel.h"
#include "ordering/order.h"

namespace pcl_attention {
namespace {

void keep_tokens(const std::uint8_t* mask, Surface& surface) {
  surface.token_keep.resize(mask == nullptr ? 0 : surface.tokens.size());
  for_each_block(surface.token_keep.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) surface.token_keep[i] = mask[surface.tokens.point[i]];
  });
}

void keep_ranks(const TokenRows& tokens, Surface& surface) {
  surface.keep.resize(surface.token_keep.size());
  for_each_block(surface.keep.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rank = begin; rank < end; ++rank)
      surface.keep[rank] = surface.token_keep[tokens.row_of(rank)];
  });
  const auto dropped = std::count(surface.keep.begin(), surface.keep.end(), std::uint8_t{0});
  surface.num_ranked = tokens.n - (tokens.row != nullptr ? static_cast<std::size_t>(dropped) : 0);
}

}  // namespace

TokenRows Surface::rows() const {
  TokenRows rows;
  rows.n = tokens.size();
  rows.values = tokens.values.data();
  if (first_position >= 0) {
    rows.positions = rows.values + first_position;
    rows.position_stride = tokens.num_channels;
  } else if (!tokens.positions.empty()) {
    rows.positions = tokens.positions.data();
  }
  if (!order.row_of_rank.empty()) rows.row = order.row_of_rank.data();
  return rows;
}

void order_surface(Curve curve, const std::optional<FixedGrid>& grid, const std::uint8_t* mask,
                   Engine& engine, Surface& surface) {
  keep_tokens(mask, surface);
  if (curve == Curve::none) {
    surface.order.row_of_rank.clear();
    surface.order.diagnostics = {};
  } else {
    const TokenRows tokens = surface.rows();
    OrderInput input;
    input.num_rows = tokens.n;
    input.positions = tokens.positions;
    input.position_stride = tokens.position_stride;
    input.values = tokens.values;
    input.num_channels = surface.tokens.num_channels;
    input.origin = surface.tokens.origin;
    input.keep = surface.token_keep.empty() ? nullptr : surface.token_keep.data();
    surface.order.row_of_rank.reserve(tokens.n);
    if (RowSorter* const sorter = engine.sorter())
      canonical_order(input, curve, grid, *sorter, surface.order);
    else
      canonical_order(input, curve, grid, engine.lend(order_scratch_size(tokens.n)), surface.order);
  }
  keep_ranks(surface.rows(), surface);
}

}  // namespace pcl_attention
