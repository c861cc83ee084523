// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

// The numeric loops of the cpu engine. Pointers and sizes only; each loop is compiled for every
// instruction set and chosen at run time. README.md draws the layout.
//
// A tile holds kTilePoints points as [channels × kTilePoints] floats, aligned to 64 bytes: lanes are points.
// Every sum over channels or slots runs down the rows of a lane in their sequence, so that all targets with
// a fused multiply-add give the same bits.

namespace pcl_attention::simd {

constexpr std::size_t kTilePoints = 192;  ///< points of a tile; a constant of the algorithm
constexpr std::size_t kKeyBlock = 128;    ///< keys whose scores are held at a time
constexpr std::size_t kSlotPanel = 32;    ///< slots per panel of E

/// Returns the name of the instruction set in use: "AVX3", "AVX2", …
const char* target_name();

/// Returns floats needed to pack a [rows × columns] matrix.
std::size_t packed_size(std::size_t rows, std::size_t columns);

/// Packs a[r · row_stride + c · column_stride] · scale for products with a tile.
void pack_matrix(const float* a, std::size_t rows, std::size_t columns, std::size_t row_stride,
                 std::size_t column_stride, float scale, float* packed);

/// y = W x + b of a tile.
struct Linear {
  const float* packed = nullptr;  ///< of pack_matrix
  const float* bias = nullptr;    ///< [rows]
  std::size_t rows = 0, columns = 0;
};

enum class Finish { none, add, gelu, relu };

/// Writes y [rows × kTilePoints] = finish(W x + b); `add` adds `other` [rows × kTilePoints]. y overlaps
/// neither. gelu: absolute error ≤ 4e-7.
void linear(const Linear& map, const float* x, Finish finish, const float* other, float* y);

/// Writes y = (x − mean) / √(variance + 1e-5) · weight + bias down the channels of each lane. y may be x.
void layer_norm(const float* x, std::size_t channels, const float* weight, const float* bias, float* y);

/// Keys and values of all heads, packed: keys of a head as panels of slots, values in blocks of kKeyBlock
/// slots.
struct KeyValues {
  float* keys = nullptr;    ///< [heads × key_size]
  float* values = nullptr;  ///< [heads × value_size]
  std::size_t heads = 0, head_width = 0, value_width = 0;
  std::size_t capacity = 0;  ///< slots, a multiple of kKeyBlock
  std::size_t count = 0;     ///< slots in use
  std::size_t before = 0;    ///< slots in front of these, for Queries::limits

  float* bias = nullptr;                   ///< [heads × capacity] added to scores; null: none
  float* anchors = nullptr;                ///< [3 × capacity] positions of the slots; null: none
  const float* distance_factor = nullptr;  ///< [heads] times ‖p − a‖² is added to scores

  std::size_t key_size() const { return capacity * head_width; }
  std::size_t value_size() const;
};

/// Stores the points columns[0 … count−1] (null: 0, 1, …) of a tile's keys [heads·head_width × kTilePoints]
/// and values [heads·value_width × kTilePoints] as the slots first … first + count − 1. Null keys: values
/// alone.
void store_keys(const float* keys, const float* values, const std::uint8_t* columns, std::size_t first,
                std::size_t count, const KeyValues& to);

/// Returns floats of scratch that attend() needs.
constexpr std::size_t attend_scratch_size() { return kKeyBlock * 64 + 2 * kTilePoints; }

/// What a tile's points ask for.
struct Queries {
  const float* q = nullptr;  ///< [heads·head_width × kTilePoints] with the factor log2(e)/√head_width
  const float* limits = nullptr;     ///< [kTilePoints] how many of the first slots a point sees; null: all
  const float* positions = nullptr;  ///< [3 × kTilePoints], read if slots have anchors
};

/// Writes out_h = Σ_j 2^(s_hj − m) v_hj / Σ_j 2^(s_hj − m), m the largest score, for every head, streaming
/// over blocks of keys; s_hj = q_h · k_hj, with the slots' bias or distance. Without slots out is 0. 2^x:
/// relative error ≤ 2e-7. Limits exclude bias and anchors.
void attend(const KeyValues& kv, const Queries& queries, float* out, float* scratch);

/// What attend() keeps between pieces of the slots.
struct Attending {
  float* out = nullptr;      ///< [heads·value_width × kTilePoints]
  float* largest = nullptr;  ///< [heads × kTilePoints] largest scores so far
  float* sums = nullptr;     ///< [heads × kTilePoints]
};

/// The same for slots that come in pieces: a start, each piece, an end. Pieces of whole blocks of kKeyBlock
/// give the bits of attend().
/// @param shape    heads and value_width are read
/// @param scratch  attend_scratch_size()
void start_attending(const KeyValues& shape, const Attending& to);
void attend_more(const KeyValues& piece, const Queries& queries, const Attending& to, float* scratch);
void finish_attending(const KeyValues& shape, const Attending& to);

/// Adds to sums [channels × padded_slots] the products Σ_p x[c][p] · e[p][j] over the tile's first `count`
/// points, and Σ_p e[p][j] to `mass` [padded_slots] where it is not null. Whole vectors of padding are left
/// out.
/// @param e      panels [padded_slots / kSlotPanel][kTilePoints][kSlotPanel]
/// @param slots  those in use, or padded_slots
void accumulate(const float* x, std::size_t channels, std::size_t count, const float* e, std::size_t slots,
                double* sums, double* mass = nullptr);

/// Returns `slots` rounded up to whole panels.
constexpr std::size_t padded_slots(std::size_t slots) {
  return (slots + kSlotPanel - 1) / kSlotPanel * kSlotPanel;
}

/// Returns where row p of a tile's panels begins; its slots lie in pieces of kSlotPanel, kTilePoints ·
/// kSlotPanel apart.
constexpr std::size_t panel_row(std::size_t p) { return p * kSlotPanel; }

/// Returns where slot j lies from panel_row() on.
constexpr std::size_t panel_slot(std::size_t j) {
  return j / kSlotPanel * kTilePoints * kSlotPanel + j % kSlotPanel;
}

/// Writes cos(a_j + b_pj) = cos a_j · cos b_pj − sin a_j · sin b_pj as the first `count` rows of panels.
/// @param cosine_b, sine_b  panels; cosine_a, sine_a [padded_slots]
void turn_panels(const float* cosine_b, const float* sine_b, const float* cosine_a, const float* sine_a,
                 std::size_t count, std::size_t padded_slots, float* panels);

/// Writes rows of panels from rows of other panels: row p = scale · ((1 − weight[p]) · low[p] + weight[p] ·
/// high[p]), zero where low[p] is null. low and high point to panel_row() of their tiles.
void blend_panels(const float* const* low, const float* const* high, const float* weight, float scale,
                  std::size_t count, std::size_t padded_slots, float* panels);

/// Writes the softmax over anchors of factor · (position[p] − anchor[a])² in base 2, per lane.
/// @param weights  [num_anchors × kTilePoints]; factor ≤ 0
void anchor_weights(const float* position, const float* anchors, std::size_t num_anchors, float factor,
                    float* weights);

/// Writes scores[a] = Σ_axis factor[axis] · (position − anchor a)², per lane. Relative error ≤ 4e-7.
/// @param position  [3 × kTilePoints]
/// @param anchors   [3 × num_anchors]
/// @param scores    [num_anchors × kTilePoints]
void anchor_scores(const float* position, const float* anchors, std::size_t num_anchors,
                   const float factor[3], float* scores);

/// Writes the panels of a tile whose slots are the softmax of scores in base 2, per lane.
/// @param scores  [padded_slots × kTilePoints], of which num_slots are given; overwritten
void softmax_panels(float* scores, std::size_t num_slots, std::size_t padded_slots, float* panels);

/// Writes the panels of a tile whose slots are the products of three axes' weights, slot
/// (a · size[1] + b) · size[2] + c; below 1e-30 zero. @param scratch [padded_slots × kTilePoints]
void product_panels(const float* const weights[3], const std::size_t size[3], std::size_t padded_slots,
                    float* scratch, float* panels);

/// Adds sin and cos of 2π·turns to two channels: sine[p] += sin(2π · factor · position[p]), and the cosine
/// likewise where `cosine` is not null. Absolute error ≤ 3e-7 up to 2^40 turns.
void add_sinusoid(const double* position, double factor, float* sine, float* cosine);

/// Writes the tile's first `count` points as rows: out[row[p] · channels + c] = x[c][p].
void store_rows(const float* x, std::size_t channels, std::size_t count, const std::uint32_t* row,
                float* out);
void store_rows(const float* x, std::size_t channels, std::size_t count, const std::uint32_t* row,
                double* out);

}  // namespace pcl_attention::simd
