// SPDX-License-Identifier: BSD-3-Clause
#include "reference/summarise.h"

#include <numeric>

namespace pcl_attention::reference {

Summary summarise(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                  const SurfaceRows& surface) {
  const bool causal = config.is_causal(layer_index);
  if (config.mechanism == Mechanism::full) return summarise_full(config, layer, surface, causal);
  if (config.mechanism == Mechanism::kernel) return summarise_kernel(config, layer, surface);
  if (config.mechanism != Mechanism::linformer) return summarise_slots(config, layer, surface);
  Summary summary = config.projection.kind == Projection::convolution
                        ? summarise_convolution(config, layer_index, layer, surface)
                        : summarise_linformer(config, layer_index, layer, surface);
  if (causal) {
    summary.places.resize(static_cast<std::size_t>(summary.rows()));
    std::iota(summary.places.begin(), summary.places.end(), Index{0});
  }
  return summary;
}

}  // namespace pcl_attention::reference
