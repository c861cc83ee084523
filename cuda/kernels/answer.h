// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows.h"
#include "kernels/summary.h"

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

enum class NormAt : std::uint32_t { post, pre, none };  ///< as NormPlacement

/// The maps of a layer; see reference/layer.h for the formula.
struct AnswerMaps {
  LinearMap query, output, output_second;
  NormMap query_norm;  ///< of `rebased`
  NormMap attention_norm, feed_forward_norm;
  LinearMap feed_forward_in, feed_forward_out, resample;  ///< none: no feed-forward, same width
  NormAt norm = NormAt::post;
  Finish activation = Finish::gelu;
};

/// What the points attend to.
struct SummaryView {
  const float* keys = nullptr;       ///< [slots × key_stride]; not of features
  const float* values = nullptr;     ///< [slots × heads · value_width]; of features S
  std::size_t key_stride = 0;        ///< heads · head_width, or head_width where heads share their keys
  bool own_keys = true;              ///< each head has its own
  std::size_t slots = 0;             ///< of features F
  float score_scale = 1.0F;          ///< 1/√D
  const float* slot_bias = nullptr;  ///< added to scores, −∞: masked; null: none
  std::size_t slot_bias_step = 0;    ///< from head to head: slots, or 0
  const float* anchors = nullptr;    ///< [slots × 3] or null
  const float* distance_factor = nullptr;  ///< [heads] −1 / 2σ²
  bool causal = false;                     ///< row i sees slots j ≤ i

  FeatureMap features;           ///< count 0: softmax over the slots
  const float* mass = nullptr;   ///< [heads × F] z
  const float* least = nullptr;  ///< [heads]
};

/// Rows that are answered, a tile at a time: queries, attention, output matrix, residual, norm, feed-forward.
/// Nothing of size rows × slots exists.
struct AnswerRows {
  const float* x = nullptr;              ///< [· × width_in]
  const std::uint32_t* asked = nullptr;  ///< [count] rows of x, also their ranks; null: row i
  std::size_t count = 0;
  const float* places = nullptr;  ///< [· × 3] of the rows of x, with anchors
  std::uint32_t width_in = 0, width_out = 0;
  std::uint32_t heads = 0, head_width = 0, value_width = 0;
  AnswerMaps maps;
  SummaryView summary;
  float* y = nullptr;  ///< [count × width_out]; may be x where nothing is asked and the widths are equal
  unsigned long long* guarded = nullptr;  ///< [1] or null: grows by the denominators that vanish
};

constexpr std::uint32_t kAnswerRows = 32;        ///< most rows of a tile
constexpr std::size_t kSharedBytes = 48 * 1024;  ///< of a tile; every device has them

/// Returns the bytes of shared memory for tiles of `rows` rows.
std::size_t answer_bytes(const AnswerRows& asked, std::size_t rows);

/// Tiles hold as many rows as fit in kSharedBytes.
/// @throws std::invalid_argument if one row does not fit, naming its bytes.
void answer_rows(const AnswerRows& asked, Stream stream);

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
