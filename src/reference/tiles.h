// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "attention/layer_loop.h"
#include "exec/parallel.h"
#include "reference/linear.h"

namespace pcl_attention::reference {

constexpr std::size_t kTilePoints = 64;

/// Calls body(first, count) for tiles of n rows. @throws Cancelled
template <class Body>
void for_tiles(Index n, const EncodeControls& controls, const Body& body) {
  for_each_block(static_cast<std::size_t>(n), kTilePoints, [&](std::size_t begin, std::size_t end) {
    check_cancel(controls);
    body(index(begin), index(end - begin));
  });
}

}  // namespace pcl_attention::reference
