// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/description.h"
#include "cuda/engine.h"
#include "cuda/memory.h"
#include "cuda/sort.h"
#include "kernels/order.h"

namespace pcl_attention::cuda {

/// Device memory of sorting, behind the tokens.
struct OrderMemory {
  SortMemory sort;
  gpu::TieCounts* ties = nullptr;
};

/// @param scratch_bytes  of sort_scratch_bytes()
OrderMemory lay_out_order(std::size_t n, std::size_t scratch_bytes, Parts& parts);

/// Puts the sort by key and the count of ties on the stream. Tied rows are left in the tokens' sequence.
void sort_by_key(const OrderDescription& order, std::size_t channels, const TokenStaging& tokens,
                 const OrderMemory& memory, StreamHandle stream);

/// Puts the rows of equal keys in their sequence. Returns where the rows now lie.
/// @param longest  most rows of one key
const std::uint32_t* sort_ties(const OrderDescription& order, std::size_t channels,
                               const TokenStaging& tokens, const OrderMemory& memory, std::size_t longest,
                               StreamHandle stream);

}  // namespace pcl_attention::cuda
