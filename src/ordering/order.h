// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>

#include "pcl_attention/ordering.h"

namespace pcl_attention {

/// Returns the bytes of scratch that canonical_order() below needs for n rows: 25 per row.
std::size_t order_scratch_size(std::size_t num_rows);

/// Fills `order` as pcl_attention::canonical_order() does, on the threads of the present arena. Allocates
/// only where order.row_of_rank is shorter than in an earlier call.
/// @param scratch  order_scratch_size(input.num_rows) bytes, aligned as for std::max_align_t
void canonical_order(const OrderInput& input, Curve curve, const std::optional<FixedGrid>& grid,
                     std::byte* scratch, Order& order);

}  // namespace pcl_attention
