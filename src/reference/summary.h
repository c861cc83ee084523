// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "reference/linear.h"

namespace pcl_attention::reference {

/// What a layer keeps of all points. Rows are slots, points with full attention, features with `kernel`.
struct Summary {
  Matrix keys_transposed;        ///< [H·D × rows]; none for `kernel`
  Matrix values;                 ///< [rows × H·Dv]; of `kernel` S = Σ φ(k) vᵀ
  std::vector<bool> masked;      ///< [rows] left out of the softmax; empty: none
  std::vector<Index> places;     ///< [rows] for a causal mask, ascending: row j is seen from places[j] on
  std::size_t masked_slots = 0;  ///< anchors of `position` among them

  Matrix anchors;         ///< [rows × 3] placed, of `anchored`
  Matrix largest;         ///< [rows × H] of `inducing`, `anchored`: largest score of a point
  Matrix mass;            ///< [rows × H] Σ e^(score − largest), or Σ φ(k) of `kernel`
  RowVector key_squares;  ///< [H] Σ ‖k‖² of `kernel`
  RowVector key_shift;    ///< [H] c of `favor`

  Index rows() const { return values.rows(); }
  bool is_masked(Index row) const { return !masked.empty() && masked[static_cast<std::size_t>(row)]; }
};

/// Rows that a layer answers.
struct AskedRows {
  Matrix x;
  std::vector<Index> places;  ///< ranks of the points; read with a causal mask only
  Matrix positions;           ///< [rows × 3] placed; read by `anchored` only
};

/// Answers, and how many of them over all heads have a denominator that vanishes.
struct AnsweredRows {
  Matrix y;
  std::size_t guarded = 0;
};

}  // namespace pcl_attention::reference
