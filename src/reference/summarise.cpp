// SPDX-License-Identifier: BSD-3-Clause
#include "reference/summarise.h"

namespace pcl_attention::reference {

Summary summarise(const ModelConfig& config, std::size_t layer_index, const Layer& layer,
                  const SurfaceRows& surface) {
  if (config.mechanism == Mechanism::full) return summarise_full(layer, surface);
  if (config.projection.kind == Projection::convolution)
    return summarise_convolution(config, layer_index, layer, surface);
  return summarise_linformer(config, layer_index, layer, surface);
}

}  // namespace pcl_attention::reference
