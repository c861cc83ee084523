// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows.h"

// Sums over points: Σ_i e_ij x_ic and Σ_i e_ij. Points are added in float over kTilePoints, then in double
// over a chunk; chunks are merged by the binary tree over aligned powers of two. Chunks depend on the number
// of rows alone, so the same surface gives the same bits each time.

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

constexpr std::size_t kTilePoints = 128;  ///< rows summed in float; a constant of the algorithm
constexpr std::size_t kLeastChunk = 256;  ///< rows of a chunk, doubled …
constexpr std::size_t kMostChunks = 256;  ///< … until there are no more chunks than these

/// Returns the rows of a chunk, and how many chunks there are: 0 without rows.
constexpr std::size_t chunk_rows(std::size_t rows) {
  std::size_t size = kLeastChunk;
  while ((rows + size - 1) / size > kMostChunks) size *= 2;
  return size;
}
constexpr std::size_t num_chunks(std::size_t rows) {
  return (rows + chunk_rows(rows) - 1) / chunk_rows(rows);
}

/// What is summed, for `batches` sums at once: E and F, or heads.
struct PointSums {
  SurfaceView surface;
  const float* x = nullptr;  ///< [surface.total() × x_stride]; batch b takes columns b · batch_step …
  std::size_t x_stride = 0;
  std::uint32_t batch_step = 0;
  std::uint32_t channels = 0;  ///< columns of a batch; may be 0: Σ e alone
  std::uint32_t batches = 1;
  std::uint32_t slots = 0;
  double* partial = nullptr;  ///< [num_chunks(total)][sums_size()]

  /// Returns the numbers of [batches][slots][channels + 1]; Σ e lies behind the channels.
  std::size_t sums_size() const { return std::size_t{batches} * slots * (channels + std::size_t{1}); }
};

/// A stored E, a row per rank. With resample row r = (N/n) · E((r + ½) · N/n − ½), linear, clamped.
struct StoredWeights {
  const float* const* maps = nullptr;  ///< [batches] Eᵀ [length × slots] each
  std::size_t length = 0;              ///< N ≥ num_ranks, but with resample
  bool resample = false;
};
void sum_stored(const PointSums& sums, const StoredWeights& weights, Stream stream);

/// e = 1 in slot ((rank + 1) · k' − 1) / n, k' = min(slots, n).
void sum_segments(const PointSums& sums, Stream stream);

/// e_im = cos(π m (rank + ½) / n): slots are the cosines of `smooth`.
void sum_cosines(const PointSums& sums, Stream stream);

/// e = softmax_j(Σ_axis factor · (p − a_j)² + (W h + b)_j).
struct PositionWeights {
  const float* places = nullptr;   ///< [n × 3]; there are no padded rows
  const float* anchors = nullptr;  ///< [slots × 3]
  const float* factor = nullptr;   ///< [3] −1 / 2σ²
  const float* hidden = nullptr;   ///< [n × mlp.in] h = gelu(W0 p + b0), or null
  LinearMap mlp;                   ///< no map: nothing is learned
  float* largest = nullptr;        ///< [n] scratch
  float* inverse_sum = nullptr;    ///< [n] scratch
};
void sum_positions(const PointSums& sums, const PositionWeights& weights, Stream stream);

/// Places anchors of `position` in the middle of a grid of cells over the box, by x, then y, then z.
struct GridAnchors {
  const float* box = nullptr;  ///< [6] lowest and highest, see spread_of_rows()
  std::uint32_t count[3] = {1, 1, 1};
  double sigma = 0.5;        ///< in cell edges
  float* anchors = nullptr;  ///< [count[0] · count[1] · count[2] × 3]
  float* factor = nullptr;   ///< [3] −1 / 2(sigma · edge)², 0 along an axis without extent
};
void place_anchors(const GridAnchors& grid, Stream stream);

/// e = exp(s_j(i) − largest_j), s = score_scale · z_j · k_i + offset_i + factor · ‖p_i − a_j‖²: softmax over
/// points short of the division.
struct SlotWeights {
  const float* keys = nullptr;  ///< [rows × key_stride]; head h in columns h · head_width …
  std::size_t key_stride = 0;
  std::uint32_t head_width = 0;
  const float* queries =
      nullptr;              ///< z transposed: [head_width × slots] for each head, or once for all heads
  bool own_queries = true;  ///< each head has its own
  float score_scale = 1.0F;
  float square_scale = 0.0F;       ///< offset_i = square_scale · ‖k_i‖²: −1 / 2√D of `favor`
  const float* places = nullptr;   ///< [n × 3] with anchors
  const float* anchors = nullptr;  ///< [slots × 3] or null
  const float* distance_factor = nullptr;  ///< [batches] −1 / 2σ²
  float* largest = nullptr;        ///< [batches × slots] scratch and result; −∞ if no row takes part
  float* chunk_largest = nullptr;  ///< [num_chunks][batches × slots] scratch
};
/// Finds `largest`, then sums. Batches are heads.
void sum_slots(const PointSums& sums, const SlotWeights& weights, Stream stream);
/// Sums with `largest` as found before, for other x of the same keys.
void sum_slots_again(const PointSums& sums, const SlotWeights& weights, Stream stream);

/// One feature of a polynomial map: weight · u_a · u_b, u = [x_0 … x_D−1, 1].
struct FeatureTerm {
  std::uint32_t a = 0, b = 0;
  float weight = 0.0F;
};

/// φ of `kernel`: polynomial terms, or without terms elu(x) + 1.
struct FeatureMap {
  const FeatureTerm* terms = nullptr;  ///< [count]
  std::uint32_t count = 0;             ///< F
  std::uint32_t width = 0;             ///< D
};

/// Returns the features of s = constant + linear · q·k + square · (q·k)², D (D + 1) / 2 pairs first.
/// @param terms  host memory, room for num_feature_terms()
std::uint32_t num_feature_terms(std::uint32_t width, double linear, double constant);
void fill_feature_terms(std::uint32_t width, double square, double linear, double constant,
                        FeatureTerm* terms);

/// e_if = φ_f(k_i), batches are heads.
struct FeatureWeights {
  const float* keys = nullptr;
  std::size_t key_stride = 0;
  FeatureMap map;
};
void sum_features(const PointSums& sums, const FeatureWeights& weights, Stream stream);

/// sums = the tree over partial[chunks][size]; zeros without chunks.
void merge_chunks(const double* partial, std::size_t chunks, std::size_t size, double* sums, Stream stream);

/// Sums to rows: row j of batch b = scale · sums + bias, or sums / Σ e where normalised.
struct FinishSums {
  const double* sums = nullptr;  ///< [batches][slots][channels + 1]
  std::uint32_t batches = 1, slots = 0, channels = 0;
  bool normalised = false;
  double least = 0.0;  ///< normalised: a slot with Σ e not above it is masked, its row is zero
  double scale = 1.0;  ///< not normalised
  const float* const* bias = nullptr;  ///< [batches] → [slots] added to every channel, or null; null: none
  float* rows = nullptr;               ///< row j of batch b at rows + b · batch_step + j · row_stride
  std::size_t row_stride = 0, batch_step = 0;
  float* slot_bias = nullptr;            ///< [batches × slots] or null: 0, −∞ where masked, or as below
  const float* largest = nullptr;        ///< [batches × slots] or null; then slot_bias = log Σ e + largest
  unsigned long long* masked = nullptr;  ///< [1] or null: grows by the number of masked slots
};
void finish_sums(const FinishSums& finish, Stream stream);

/// S and z of features, each head's divided by the power of two next to its largest |z|.
struct FinishFeatures {
  const double* sums = nullptr;  ///< [heads][F][value_width + 1]
  FeatureMap map;
  std::uint32_t heads = 0, value_width = 0;
  double square = 0.0;      ///< of s where s may vanish, else 0
  float* values = nullptr;  ///< [F × heads · value_width]
  float* mass = nullptr;    ///< [heads × F]
  float* least = nullptr;   ///< [heads] a denominator not above least · ‖q‖² counts as zero
};
void finish_features(const FinishFeatures& finish, Stream stream);

/// K'_h[j] = Σ_t W[:,:,t] k_h[j·s + t] + b over ranks; rows that take no part count as zero.
struct Convolution {
  SurfaceView surface;
  const float* x = nullptr;  ///< keys or values [total × heads · width]
  std::uint32_t heads = 0, width = 0;
  std::size_t stride = 1;
  const float* const* maps = nullptr;  ///< [heads] W as [s × width in × width out]
  const float* const* bias = nullptr;  ///< [heads] → [width]
  float* rows = nullptr;               ///< [num_ranks / s × heads · width]
};
void convolve(const Convolution& convolution, Stream stream);

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
