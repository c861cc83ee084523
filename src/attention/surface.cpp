// SPDX-License-Identifier: BSD-3-Clause
#include "attention/surface.h"

#include <algorithm>

#include "attention/placement.h"
#include "exec/parallel.h"
#include "ordering/order.h"

namespace pcl_attention {
namespace {

void keep_tokens(const std::uint8_t* mask, Surface& surface) {
  const Tokens& tokens = surface.tokens;
  make_room(mask == nullptr ? 0 : tokens.size(), surface.token_keep);
  for_each_block(surface.token_keep.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) surface.token_keep[i] = mask[tokens.point[i]];
  });
}

void keep_ranks(Surface& surface) {
  make_room(surface.token_keep.size(), surface.keep);
  for_each_block(surface.keep.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rank = begin; rank < end; ++rank)
      surface.keep[rank] = surface.token_keep[surface.order.row_of_rank[rank]];
  });
  const auto dropped = std::count(surface.keep.begin(), surface.keep.end(), std::uint8_t{0});
  surface.num_ranked = surface.tokens.size() - (surface.is_ordered ? static_cast<std::size_t>(dropped) : 0);
}

}  // namespace

TokenRows Surface::rows() const {
  TokenRows rows;
  rows.n = tokens.size();
  rows.values = tokens.values.data();
  rows.positions = tokens.positions.empty() ? nullptr : tokens.positions.data();
  rows.row = is_ordered ? order.row_of_rank.data() : nullptr;
  return rows;
}

void order_surface(Curve curve, const std::optional<FixedGrid>& grid, const std::uint8_t* mask, Engine& engine,
                   Surface& surface) {
  keep_tokens(mask, surface);
  const TokenRows tokens = surface.rows();
  OrderInput input;
  input.num_rows = tokens.n;
  input.positions = tokens.positions;
  input.values = tokens.values;
  input.num_channels = surface.tokens.num_channels;
  input.origin = surface.tokens.origin;
  input.keep = surface.token_keep.empty() ? nullptr : surface.token_keep.data();
  surface.is_ordered = curve != Curve::none;
  std::byte* const scratch = surface.is_ordered ? engine.lend(order_scratch_size(tokens.n)) : nullptr;
  make_room(tokens.n, surface.order.row_of_rank);
  canonical_order(input, curve, grid, scratch, surface.order);
  keep_ranks(surface);
}

}  // namespace pcl_attention
