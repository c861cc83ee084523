// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"

namespace pcl_attention {

/// @throws Cancelled if the caller's flag is set.
inline void check_cancel(const EncodeControls& controls) {
  if (controls.cancel != nullptr && controls.cancel->load())
    throw Cancelled("encode: cancelled by the caller");
}

/// Runs the layers of an encoder: S_l = summarise(surface_l), surface_{l+1} = answer(surface_l, S_l),
/// query_{l+1} = answer(query_l, S_l). The last layer answers only what is asked for.
/// @param layers  has summarise(l), answer_surface(l), answer_queries(l), and answer_wanted(l), which
///                answers the surface tokens that were asked for
template <class Layers>
void run_layers(std::size_t depth, bool foreign_queries, Layers& layers, const EncodeControls& controls) {
  std::size_t done = 0;
  const auto step = [&] {
    check_cancel(controls);
    if (controls.progress) controls.progress(static_cast<double>(done++) / static_cast<double>(2 * depth));
  };
  for (std::size_t layer = 0; layer < depth; ++layer) {
    const bool last = layer + 1 == depth;
    step();
    layers.summarise(layer);
    step();
    if (foreign_queries) layers.answer_queries(layer);
    if (!last) layers.answer_surface(layer);
    if (last && !foreign_queries) layers.answer_wanted(layer);
  }
  if (controls.progress) controls.progress(1.0);
}

/// Runs the layers of a decoder: S_l = summarise(l), of the queries in even layers and of the surface in odd
/// ones; query_{l+1} = answer(query_l, S_l). The surface stays as it came.
template <class Layers>
void run_decoder(std::size_t depth, Layers& layers, const EncodeControls& controls) {
  for (std::size_t layer = 0; layer < depth; ++layer) {
    check_cancel(controls);
    if (controls.progress) controls.progress(static_cast<double>(layer) / static_cast<double>(depth));
    layers.summarise(layer);
    layers.answer_queries(layer);
  }
  if (controls.progress) controls.progress(1.0);
}

/// Runs the layers as the model's data flow is.
template <class Layers>
void run_network(const ModelConfig& config, bool foreign_queries, Layers& layers,
                 const EncodeControls& controls) {
  if (config.decoder)
    run_decoder(config.depth, layers, controls);
  else
    run_layers(config.depth, foreign_queries, layers, controls);
}

}  // namespace pcl_attention
