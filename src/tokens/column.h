// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "pcl_attention/tokens.h"

namespace pcl_attention {

/// Writes out[i] = the element `offset` bytes behind at[i], for 0 ≤ i < n.
using ReadElements = void (*)(const std::byte* const* at, std::size_t n, std::size_t offset, double* out);

/// Returns true if all numbers of a run at `at` are finite.
bool run_is_finite(const std::byte* at, std::size_t run);

/// Copies a run, −0 as +0.
void copy_run(const std::byte* at, std::size_t run, float* out);

/// Returns the reader of a type; unaligned elements, either byte order, bool as 0 or 1.
ReadElements element_reader(FieldType type, bool big_endian);

/// One number per point, as it stands in a cloud and where it goes; or a run of numbers that are copied.
struct TokenColumn {
  FieldType type = FieldType::float32;
  std::size_t run = 0;     ///< > 0: this many float32 in the host's byte order, scale 1, no coordinates
  std::size_t offset = 0;  ///< bytes behind the point's start
  ReadElements read = nullptr;
  double scale = 1.0;  ///< factor on the number read
  double limit = 0.0;  ///< largest valid |number · scale|
  int channel = -1;    ///< column of the tokens; −1: none
  int axis = -1;       ///< 0, 1, 2: coordinate x, y, z; −1: none
};

/// Writes every column that is read: the input's channels in order but for neighbourhood fields, then
/// coordinates that the options ask for and no channel holds.
/// @throws CloudError if a field is missing or has another shape, std::invalid_argument if packed
///         colour or a coordinate has another number of channels than 3 or 1.
void token_columns(const CloudView& cloud, const InputSpec& input, const GatherOptions& options,
                   std::vector<TokenColumn>& columns);

}  // namespace pcl_attention
