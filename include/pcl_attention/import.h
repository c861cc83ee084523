// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pcl_attention/config.h"
#include "pcl_attention/export.h"
#include "pcl_attention/model.h"

namespace pcl_attention {

/// What the names and shapes of a linformer-pytorch state_dict cannot tell. Defaults are those of
/// linformer-pytorch.
struct LinformerPytorchOptions {
  /// Names start with this and others are not read; empty: all names are read, and the prefixes `net.`
  /// (Padder) and `linformer.` are found.
  std::string prefix;
  Activation activation = Activation::gelu;
  Projection method = Projection::learned;  ///< learned, convolution, or fixed for method `no_params`
  bool full_attention = false;              ///< E and F of the file are not used
  /// Which projections the file repeats; default: as many as agree. Copies that differ are an error.
  std::optional<Sharing> sharing;
  /// Cloud fields of the channels, in their order; empty: one field `features` of all channels.
  std::vector<std::string> fields;
};

/// Returns the network of a linformer-pytorch state_dict saved as .safetensors: class Linformer with depth,
/// heads, widths, k per layer, sharing, feed-forward, two-matrix output and ff_intermediate read from names
/// and shapes. Its order is Curve::none, as in PyTorch; rows are used as they come.
///
/// Shared projections may be repeated under every name or stored once with aliases in the metadata
/// (safetensors.torch.save_model). The constants of `no_params` are the tensor `fixed_projection` [n × k], or
/// `fixed_projection.{i}.E` and `.F` with i counting heads over all layers, since a state_dict lacks them.
/// @throws FileError if the file is damaged, ModelError naming the tensor that is missing, left over,
///         of another shape, or differs from the tensor it should repeat.
/// Source: tatp22/linformer-pytorch, state of 2022-07-27.
PCL_ATTENTION_EXPORT ModelPtr import_linformer_pytorch(const std::string& path,
                                                       const LinformerPytorchOptions& options = {});

}  // namespace pcl_attention
