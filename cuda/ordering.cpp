// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/ordering.h"

#include <algorithm>
#include <utility>

#include "cuda/sort.h"

namespace pcl_attention::cuda {
namespace {

/// Where positions lie: among the values, or beside them.
struct Positions {
  const float* first;
  std::size_t stride;
};

Positions positions_of(const OrderDescription& order, std::size_t channels, const TokenStaging& tokens) {
  const int channel = order.tokens.first_position;
  return channel < 0 ? Positions{tokens.positions, 3} : Positions{tokens.values + channel, channels};
}

}  // namespace

OrderMemory lay_out_order(std::size_t n, std::size_t scratch_bytes, Parts& parts) {
  OrderMemory memory;
  memory.keys = parts.take<std::uint64_t>(n);
  memory.sorted_keys = parts.take<std::uint64_t>(n);
  memory.rows = parts.take<std::uint32_t>(n);
  memory.sorted_rows = parts.take<std::uint32_t>(n);
  memory.ties = parts.take<gpu::TieCounts>(1);
  memory.scratch = parts.take<std::byte>(scratch_bytes);
  memory.scratch_bytes = scratch_bytes;
  return memory;
}

void sort_by_key(const OrderDescription& order, std::size_t channels, const TokenStaging& tokens,
                 const OrderMemory& memory, StreamHandle stream) {
  const Positions positions = positions_of(order, channels, tokens);
  gpu::CurveKeys keys;
  std::copy(order.low.begin(), order.low.end(), keys.cells.low);
  keys.cells.inverse = order.inverse;
  keys.cells.first = order.first;
  keys.positions = positions.first;
  keys.stride = positions.stride;
  keys.keep = tokens.keep;
  keys.n = order.tokens.n;
  keys.hilbert = order.hilbert;
  keys.keys = memory.keys;
  keys.rows = memory.rows;
  gpu::curve_keys(keys, stream);
  sort_rows({memory.keys, memory.rows, memory.sorted_keys, memory.sorted_rows, order.tokens.n,
             order.first_bit, order.end_bit},
            memory.scratch, memory.scratch_bytes, stream);
  runtime::fill(memory.ties, 0, sizeof *memory.ties, stream);
  gpu::find_ties({memory.sorted_keys, order.tokens.n}, memory.ties, stream);
}

const std::uint32_t* sort_ties(const OrderDescription& order, std::size_t channels,
                               const TokenStaging& tokens, const OrderMemory& memory, std::size_t longest,
                               StreamHandle stream) {
  const Positions positions = positions_of(order, channels, tokens);
  std::uint32_t *from = memory.sorted_rows, *to = memory.rows;
  for (std::size_t width = 1; width < longest; width *= 2) {
    gpu::MergeTies ties;
    ties.sorted = {memory.sorted_keys, order.tokens.n};
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
