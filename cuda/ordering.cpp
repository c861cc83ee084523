// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/ordering.h"

#include <algorithm>
#include <utility>

#include "cuda/workspace.h"

namespace pcl_attention::cuda {

OrderMemory lay_out_order(std::size_t n, std::size_t scratch_bytes, Parts& parts) {
  OrderMemory memory;
  memory.sort = lay_out_sort(n, scratch_bytes, parts);
  memory.ties = parts.take<gpu::TieCounts>(1);
  return memory;
}

void sort_by_key(const OrderDescription& order, std::size_t channels, const TokenStaging& tokens,
                 const OrderMemory& memory, StreamHandle stream) {
  const Positions positions = positions_of(order.tokens, channels, tokens);
  gpu::CurveKeys keys;
  std::copy(order.low.begin(), order.low.end(), keys.cells.low);
  keys.cells.inverse = order.inverse;
  keys.cells.first = order.first;
  keys.positions = positions.first;
  keys.stride = positions.stride;
  keys.keep = tokens.keep;
  keys.n = order.tokens.n;
  keys.hilbert = order.hilbert;
  keys.keys = memory.sort.keys;
  keys.rows = memory.sort.rows;
  gpu::curve_keys(keys, stream);
  sort_rows(memory.sort, order.tokens.n, order.bits, stream);
  runtime::fill(memory.ties, 0, sizeof *memory.ties, stream);
  gpu::find_ties({memory.sort.sorted_keys, order.tokens.n}, memory.ties, stream);
}

const std::uint32_t* sort_ties(const OrderDescription& order, std::size_t channels,
                               const TokenStaging& tokens, const OrderMemory& memory, std::size_t longest,
                               StreamHandle stream) {
  const Positions positions = positions_of(order.tokens, channels, tokens);
  std::uint32_t *from = memory.sort.sorted_rows, *to = memory.sort.rows;
  for (std::size_t width = 1; width < longest; width *= 2) {
    gpu::MergeTies ties;
    ties.sorted = {memory.sort.sorted_keys, order.tokens.n};
    ties.positions = positions.first;
    ties.stride = positions.stride;
    ties.values = tokens.values;
    ties.num_channels = static_cast<std::uint32_t>(channels);
    ties.width = width;
    ties.from = from;
    ties.to = to;
    gpu::merge_ties(ties, stream);
    std::swap(from, to);
  }
  return from;
}

}  // namespace pcl_attention::cuda
