// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "pcl_attention/export.h"
#include "pcl_attention/ordering.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention {

/// How a layer attends.
enum class Mechanism {
  full,       ///< softmax over all points, O(n²)
  linformer,  ///< keys and values projected to k rows, O(n · k)
  inducing,   ///< k learned queries attend to all points, points attend to these k rows
  anchored,   ///< the same with k anchors along the canonical order and a bias by distance
  kernel,     ///< φ(q) · Σ φ(k) vᵀ / φ(q) · Σ φ(k), O(n)
};

/// s(q, k) = φ(q) · φ(k) of `kernel`, D the head width.
enum class Similarity {
  elu,        ///< φ(x) = x + 1 for x > 0, else eˣ
  quadratic,  ///< (q · k)² / D
  rebased,    ///< the same behind a LayerNorm of q and of k over all heads jointly
  taylor,     ///< 1 + q · k / √D + (q · k)² / 2D
  favor,      ///< φ(x)_i = exp(ω_i · x' − ‖x'‖² / 2) / √m, x' = x / D^¼, i < m
};

/// Where the n → k matrix E of `linformer` comes from.
enum class Projection {
  learned,       ///< one trained row per rank, with bias
  convolution,   ///< of each head's keys and values over ranks, kernel = stride; any n ≥ stride
  fixed,         ///< constants of the model file, one row per rank
  segment_mean,  ///< mean of min(k, n) equal runs of ranks
  /// Trained cosines along the curve, with bias: E_ir = (N/n) Σ_m c_im cos(π m (r + ½)/n), r the rank; any n.
  smooth,
  position,  ///< softmax over anchors of −‖p − a‖² / 2σ² + MLP(p), columns normalised
};

/// What a stored E for N points does with another number of points n.
enum class LengthPolicy {
  strict,    ///< an error
  pad,       ///< n < N: zero rows up to N that take part, as linformer-pytorch's Padder
  slice,     ///< n < N: the first n rows of E
  resample,  ///< any n: row i = (N/n) · E((i + ½) · N/n − ½), linear, clamped
};

/// Which layers and heads share a stored projection, and whether E = F.
enum class Sharing {
  none,       ///< own E and F per head and layer
  headwise,   ///< one E and one F per layer
  kv,         ///< one E = F per layer
  layerwise,  ///< one E = F for the whole model
};

enum class Activation { gelu, relu };  ///< gelu(x) = x/2 · (1 + erf(x/√2))

/// Residual and norm around a part f of a layer.
enum class NormPlacement {
  post,  ///< LN(x + f(x))
  pre,   ///< x + f(LN(x))
  none,  ///< f(x): attention alone, without feed-forward
};

enum class Embedding { linear, identity };  ///< identity: the channels are the inputs themselves

/// What the points of a key mask are to the sums over points.
enum class MaskedPoints {
  left_out,  ///< they take no part
  zeroed,    ///< their keys and values are zero, as linformer-pytorch's `input_mask`: `full` weighs them e^0
};

/// Which slots a row may attend to.
enum class CausalMask {
  none,
  /// Row i sees the slots c ≤ i, as linformer-pytorch's `causal`. Causal over ranks with `full`; with
  /// `linformer` it is not, since a slot mixes all points and rows i ≥ k see every slot.
  legacy,
};

/// What is added to the embedded points.
enum class PositionEncoding {
  none,
  rank,  ///< [sin(r·w_0) … | cos(r·w_0) …], w_i = 100000^(−2i/C), r the rank
  /// Blocks x | y | z of w = 2⌈C/6⌉, cut to C: sin, cos interleaved of w_i · p / position_cell with
  /// w_i = 10000^(−2i/w), as the `positional-encodings` package has them.
  xyz,
};

/// The n → k projection of `linformer`.
struct ProjectionConfig {
  Projection kind = Projection::learned;
  Sharing sharing = Sharing::layerwise;  ///< of stored projections (learned, convolution, fixed, smooth)
  std::size_t k = 128;                   ///< rows after projection, first layer
  /// Layer i (of a decoder: pair i) uses max(1, k − i · k_reduce_by_layer) rows; ignored with layerwise
  /// sharing.
  std::size_t k_reduce_by_layer = 0;
  std::size_t length = 4096;                          ///< N, the number of points a stored E was made for
  std::size_t cosines = 32;                           ///< M of `smooth`, 1 to length
  LengthPolicy length_policy = LengthPolicy::strict;  ///< of learned and fixed
  /// Kernel = stride s of `convolution`, in ranks: one number for all layers, or one for each.
  std::vector<std::size_t> strides{32};
  /// Of `position`: anchors along x, y, z, in the middle of equal cells over mean ± √3 standard deviations of
  /// the points per axis; k is their product.
  std::array<std::size_t, 3> anchor_grid{5, 5, 5};
  /// Of `position`: k anchors of the model file, in normalised coordinates, in place of the grid.
  bool learned_anchors = false;
  /// Of `position`, > 0: in units of the grid's spacing per axis; of learned anchors in normalised
  /// coordinates.
  double sigma = 0.5;
  /// Of `position`: w of MLP(p) = W1 gelu(W0 p + b0) + b1, 3 → w → k, p in normalised coordinates; 0 = none.
  std::size_t mlp_width = 0;

  /// Returns true if scores of `position` are more than products over the axes of a grid.
  bool has_learned_scores() const { return learned_anchors || mlp_width != 0; }
};

/// The mechanism `kernel`.
struct KernelConfig {
  Similarity similarity = Similarity::elu;
  /// Of `quadratic` and `rebased`: s = 1 + (q · k)² / D. Without, the sum of weights vanishes with q, and
  /// what is left is q's direction alone.
  bool constant = false;
  std::size_t features = 64;    ///< m of `favor`
  std::size_t value_width = 0;  ///< of a head's values; 0 = head_width
};

/// Everything that defines a network but its trained numbers.
struct PCL_ATTENTION_EXPORT ModelConfig {
  std::string name;             ///< shown in results
  bool random_weights = false;  ///< true: outputs are for order tests and timing, not for matching
  InputSpec input;
  Curve order = Curve::morton;  ///< canonical order the model wants
  Embedding embedding = Embedding::linear;
  PositionEncoding position_encoding = PositionEncoding::none;
  double position_cell = 1.0;  ///< unit of `xyz` sinusoids, in normalised coordinates, > 0
  std::size_t channels = 64;   ///< C
  /// Width of the rows between two layers, given by the feed-forward of the first; 0 = channels.
  std::size_t inner_channels = 0;
  std::size_t heads = 4;        ///< H
  std::size_t head_width = 16;  ///< D
  std::size_t depth = 2;
  Mechanism mechanism = Mechanism::linformer;
  ProjectionConfig projection;  ///< used by `linformer` only
  KernelConfig kernel;          ///< used by `kernel` only
  std::size_t slots = 128;      ///< k of `inducing` and `anchored`
  /// σ of `anchored` in normalised coordinates, > 0: one for all heads or one for each; empty: learned.
  std::vector<double> anchor_sigmas{0.25};
  MaskedPoints masked_points = MaskedPoints::left_out;
  CausalMask causal = CausalMask::none;  ///< needs slots that go by rank
  /// A decoder answers the points of another cloud, which also attend to each other: its even layers
  /// summarise these queries, its odd layers the surface as it came, both with a feed-forward. Depth counts
  /// both kinds.
  bool decoder = false;
  std::size_t output_intermediate = 0;  ///< width between two output matrices; 0 = one matrix
  NormPlacement norm = NormPlacement::post;
  double dropout = 0.0;               ///< of training, kept without effect: attention and its output, [0, 1]
  double feed_forward_dropout = 0.0;  ///< likewise, of the feed-forward
  std::size_t feed_forward = 128;     ///< inner width; 0 = no feed-forward
  Activation activation = Activation::gelu;
  std::size_t head_output = 0;  ///< width of the output head; 0 = no head, rows of C channels

  /// Returns the width of an output row: head_output, or channels without a head.
  std::size_t output_width() const { return head_output != 0 ? head_output : channels; }

  /// Returns the width of a head's values.
  std::size_t value_width() const;

  /// Returns the width of the rows that enter and leave layer `layer`.
  std::size_t width_in(std::size_t layer) const;
  std::size_t width_out(std::size_t layer) const;

  /// Returns the rows that layer `layer` keeps of all points: k, of `position` the number of anchors, of
  /// `kernel` that of features; 0 for `convolution` and `full`, whose rows depend on n.
  std::size_t projected_rows(std::size_t layer) const;

  /// Returns the same for a cloud of n points: n for `full`, ⌊n / stride(layer)⌋ for `convolution`.
  std::size_t projected_rows(std::size_t layer, std::size_t num_points) const;

  /// Returns true if the rows that layer `layer` answers see only slots up to their rank. A decoder's
  /// attention to its own queries is never masked.
  bool is_causal(std::size_t layer) const;

  /// Returns kernel = stride of layer `layer`'s convolution.
  std::size_t stride(std::size_t layer) const;

  /// Returns nothing.
  /// @throws ModelError naming the first member out of its range, or members that exclude each other.
  void check() const;
};

}  // namespace pcl_attention
