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
  /// Names start with this, others are not read. Behind it `net.` (Padder) and `linformer.` are found.
  std::string prefix;
  Activation activation = Activation::gelu;
  Projection method = Projection::learned;  ///< learned, convolution, or fixed for method `no_params`
  bool full_attention = false;              ///< E and F of the file are not used
  CausalMask causal = CausalMask::none;     ///< legacy for `causal=True`
  bool decoder = false;                     ///< `decoder_mode=True`
  /// zeroed does with a key mask what linformer-pytorch's `input_mask` does.
  MaskedPoints masked_points = MaskedPoints::left_out;
  /// Number of heads: an error if the file has another.
  std::optional<std::size_t> heads;
  /// D of a LinearAttentionHead alone, whose tensors do not tell it; default: the number of `fields`.
  std::optional<std::size_t> head_width;
  /// Which projections the file repeats; default: as many as agree. Copies that differ are an error.
  std::optional<Sharing> sharing;
  double dropout = 0.1, feed_forward_dropout = 0.15;  ///< kept in the configuration without effect
  /// Cloud fields of the channels, in their order; empty: one field `features` of all channels.
  std::vector<std::string> fields;
};

/// Returns the network of a linformer-pytorch state_dict saved as .safetensors: class Linformer, MHAttention
/// or LinearAttentionHead, with depth, heads, widths, k per layer, sharing, feed-forward, two-matrix output
/// and ff_intermediate read from names and shapes. Its order is Curve::none, as in PyTorch; rows are used as
/// they come. A Padder's network has LengthPolicy::pad. The part of a LinformerLM between its tokens and
/// logits is read, with its projections to and from the tokens' width. A head alone takes the points as
/// queries, keys and values.
///
/// Shared projections may be repeated under every name or stored once with aliases in the metadata
/// (safetensors.torch.save_model). The constants of `no_params` are the tensor `fixed_projection` [n × k], or
/// `fixed_projection.{i}.E` and `.F` with i counting heads over all layers, since a state_dict lacks them.
/// F64 tensors are rounded to float32.
/// @throws FileError if the file is damaged, ModelError naming the tensor that is missing, left over,
///         of another shape, not finite, or differs from the tensor it should repeat.
/// Source: tatp22/linformer-pytorch, state of 2022-07-27.
PCL_ATTENTION_EXPORT ModelPtr import_linformer_pytorch(const std::string& path,
                                                       const LinformerPytorchOptions& options = {});

/// What the names and shapes of a state_dict of lucidrains' linformer cannot tell.
struct LucidrainsLinformerOptions {
  std::string prefix;  ///< as above
  /// Number of heads; default: 8, or what the widths say with `one_kv_head`.
  std::optional<std::size_t> heads;
  double dropout = 0.0;             ///< kept in the configuration without effect
  std::vector<std::string> fields;  ///< as above
};

/// Returns the network of a state_dict of lucidrains' `linformer` saved as .safetensors: class Linformer with
/// pre-norm and without a final norm; fewer points than its projections have rows use the first rows
/// (LengthPolicy::slice). With `share_kv` the keys' matrix is the values', too; with `one_kv_head` every head
/// has the same. Reversible networks and gated feed-forwards are refused.
/// @throws as import_linformer_pytorch().
/// Source: lucidrains/linformer 0.2.3.
PCL_ATTENTION_EXPORT ModelPtr import_lucidrains_linformer(const std::string& path,
                                                          const LucidrainsLinformerOptions& options = {});

/// What the names and shapes of a state_dict of a ReBased layer cannot tell.
struct RebasedOptions {
  std::string prefix;                ///< names of the layer start with this
  std::optional<std::size_t> heads;  ///< default: 12
  bool constant = false;             ///< s = 1 + (q · k)² / F, as the reference feature map has it
  std::vector<std::string> fields;   ///< as above
};

/// Returns the attention of a ReBased layer saved as .safetensors, over all points instead of those before:
/// mechanism `kernel`, `rebased` with the layer's LayerNorm over all features jointly, `quadratic` without. A
/// scale γ without norm becomes part of the maps; a shift β without norm is refused.
/// @throws as import_linformer_pytorch().
/// Source: corl-team/rebased, src/mixers/rebased.py; arXiv 2402.10644.
PCL_ATTENTION_EXPORT ModelPtr import_rebased(const std::string& path, const RebasedOptions& options = {});

/// How much of a stored E its cosines leave out.
struct ProjectionFit {
  std::string name;                ///< of the projection in the model file
  double relative_residual = 0.0;  ///< ‖E − its cosines‖ / ‖E‖, from 0 to 1; about √(1 − M/N) for noise
};

struct SmoothModel {
  ModelPtr model;
  std::vector<ProjectionFit> fits;  ///< of every stored E and F
};

/// Returns the model with Projection::smooth: every stored E [k × N] is replaced by the M cosines along the
/// ranks that come nearest to it, c_im = (2 − δ_m0)/N Σ_r E_ir cos(π m (r + ½)/N), so that it takes any
/// number of points. A bias stays; constants get a bias of zeros.
/// @param cosines  M, 1 to N
/// @throws std::invalid_argument if the model stores no E with a row per rank, or for another M.
PCL_ATTENTION_EXPORT SmoothModel smooth_model(const Model& model, std::size_t cosines = 32);

}  // namespace pcl_attention
