// SPDX-License-Identifier: BSD-3-Clause
// A network and a frame as pointers and sizes in host memory: all that the engine knows of models and clouds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/kernels/point_column.h"

namespace pcl_attention::cuda {

/// Row-major numbers; without values there is none.
struct Matrix {
  const float* values = nullptr;  ///< [rows × columns]
  std::size_t rows = 0, columns = 0;

  bool exists() const { return values != nullptr; }
};

/// y = W x + b.
struct Linear {
  Matrix weight;                ///< [out × in]
  const float* bias = nullptr;  ///< [out] or null: zero
};

/// y = (x − mean) / √(variance + 1e-5) · weight + bias.
struct Norm {
  const float* weight = nullptr;  ///< [width], null: there is no norm
  const float* bias = nullptr;    ///< [width]
  std::size_t width = 0;
};

/// How a layer's points become its summary.
enum class Summarising {
  points,       ///< keys and values of all points
  convolution,  ///< those, and a convolution over runs of ranks
  segments,     ///< means of runs of ranks
  position,     ///< E of the points' places
  stored,       ///< a stored E with the points
  direct,       ///< own E and F per head with the points' keys and values
  cosines,      ///< cosines along the ranks with the points
  slots,        ///< softmax over points of learned queries, or with anchors
  favor,        ///< the same of random features
  features,     ///< sums of features
};

/// A stored E [k × N], cosines [k × M], or a convolution [D × D × taps].
struct StoredProjection {
  Matrix weight;                ///< a convolution as [D × D · taps]
  std::size_t taps = 1;         ///< of a convolution
  const float* bias = nullptr;  ///< [rows], null: zero
};

enum class NormPlace { post, pre, none };
enum class Nonlinearity { gelu, relu };

struct LayerDescription {
  Linear query, key, value;  ///< [H·D × width_in], values [H·Dv × width_in]
  Linear output, output_second, feed_forward_in, feed_forward_out, resample;
  Norm attention_norm, feed_forward_norm, query_norm, key_norm;
  Matrix slots;                        ///< [k × H·D] learned queries, or [m × D] ω of favor
  std::vector<float> distance_factor;  ///< [H] −1/2σ² with anchors
  std::vector<std::size_t> key_projection, value_projection;  ///< [H] of NetworkDescription::projections
  std::size_t width_in = 0, width_out = 0;
  std::size_t num_slots = 0;  ///< rows of the summary; 0: they depend on n
  std::size_t stride = 1;     ///< ranks of a convolution's row
  bool causal = false;
};

/// E of a place p = softmax_j(−‖p − a_j‖²/2σ² + (W1 gelu(W0 p + b0) + b1)_j).
struct PositionDescription {
  std::array<std::size_t, 3> grid{1, 1, 1};  ///< anchors along each axis of the surface's box
  double sigma = 0.5;                        ///< in cells of the grid, or in normalised coordinates
  Matrix anchors;                            ///< [k × 3] in place of the grid
  Linear mlp_in, mlp_out;
};

/// s(q, k) = constant + linear · q·k + square · (q·k)², or the elu map.
struct FeatureDescription {
  bool elu = false;
  double square = 0.0, linear = 0.0, constant = 0.0;
};

struct NetworkDescription {
  std::size_t input_channels = 0, channels = 0, heads = 0, head_width = 0, value_width = 0;
  Linear embedding, head;  ///< without a map: the identity
  bool rank_encoding = false, xyz_encoding = false;
  double position_cell = 1.0;
  Summarising summarising = Summarising::points;
  bool anchored = false;  ///< slots have places: every ⌊n/k⌋-th point that takes part
  bool zeroed = false;    ///< points that take no part have keys and values of zero, with `points`
  bool decoder = false;
  NormPlace norm = NormPlace::post;
  Nonlinearity activation = Nonlinearity::gelu;
  PositionDescription position;
  FeatureDescription features;
  std::size_t length = 0;  ///< N of `cosines`
  std::vector<StoredProjection> projections;
  std::vector<LayerDescription> layers;

  std::size_t key_width() const { return heads * head_width; }
  std::size_t values_width() const { return heads * value_width; }
  std::size_t output_width() const { return head.weight.exists() ? head.weight.rows : channels; }
};

/// Bits of a key, from `first` to before `end`.
struct KeyBits {
  int first = 0, end = 64;
};

/// A cloud in device memory, as somebody else laid it out.
struct PointsDescription {
  const unsigned char* data = nullptr;  ///< point i = r · width + c at r · row_step + c · point_step
  std::size_t width = 0, point_step = 0, row_step = 0;
  std::size_t n = 0;
  std::vector<gpu::PointColumn> columns;
  const std::uint8_t* mask = nullptr;  ///< [n] on the device, nonzero = kept; null: all
  bool zero_is_invalid = false;
  float* rows = nullptr;  ///< [n × output_width] on the device: where the answers go
};

/// How many points, and the box around them; +∞ and −∞ without any.
struct PointsBox {
  std::size_t count = 0;
  std::array<double, 3> low{}, high{};
};
struct PointsFound {
  PointsBox valid, kept;  ///< kept are valid, too
};

/// How many tokens there are, in rank order, and what lies with them.
struct TokenCounts {
  std::size_t n = 0, num_ranked = 0, padded = 0;
  bool has_positions = false;
  int first_position = -1;  ///< channel of x in the values; −1: positions lie beside them
  bool has_rows = false;    ///< token i lies at row[i]
  bool has_keep = false;
  std::size_t num_anchors = 0;  ///< with NetworkDescription::anchored

  std::size_t total() const { return n + padded; }
};

/// Tokens that are sorted along a curve.
struct OrderDescription {
  TokenCounts tokens;           ///< n, positions and keep; keep goes by token
  std::array<double, 3> low{};  ///< cell of x = floor((x − low) · inverse) + first, clamped to [0, 2^21)
  double inverse = 0.0, first = 0.0;
  bool hilbert = false;  ///< else Morton
  KeyBits bits;          ///< no others differ between keys
};

/// What places the coordinates.
enum class Placing {
  given,        ///< the staged placement
  centroid,     ///< of the points that take part; worked out on the device
  unit_sphere,  ///< that and the distance of the farthest
};

struct FrameDescription {
  TokenCounts surface, queries;
  bool has_queries = false;
  Placing placing = Placing::given;
  std::array<int, 3> position_channels{-1, -1, -1};
  bool resample = false;  ///< a stored E is stretched over the ranks
  std::size_t num_answers = 0;
  bool has_asked = false;  ///< answers are chosen rows of the surface
};

}  // namespace pcl_attention::cuda
