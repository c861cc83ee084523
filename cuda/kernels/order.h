// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/world.h"

// The canonical order, bit for bit as src/ordering has it: cells, keys, a stable sort by key, ties; and where
// the rows lie.

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

/// Rows whose positions are summed up; the same bits each time.
struct KeptRows {
  const float* positions = nullptr;
  std::size_t stride = 3;              ///< numbers from one position to the next
  const std::uint32_t* row = nullptr;  ///< [n] where row i lies; null: at i
  const std::uint8_t* keep = nullptr;  ///< [n] or null: all
  std::size_t n = 0;
  double* scratch = nullptr;  ///< [kMomentScratch]
};
constexpr std::size_t kMomentBlocks = 256, kMomentScratch = 4 * kMomentBlocks + 8;

/// box [6] = lowest x, y, z, highest x, y, z over which `position` lays its grid, see AnchorBox: mean ± √3
/// standard deviations; zeros without rows.
void spread_of_rows(const KeptRows& rows, float* box, Stream stream);

/// placement [4] = centroid, and 1 / largest distance from it, or 1; as make_placement().
void placement_of_rows(const KeptRows& rows, bool unit_sphere, double* placement, Stream stream);

/// Cubic cells: index = floor((x − low) · inverse) + first, two rounded operations, clamped to [0, 2^21).
struct Cells {
  double low[3] = {0, 0, 0};
  double inverse = 0.0;
  double first = 0.0;
};

/// key_i of position i along the curve, bit 63 set where it is not kept; row_i = i.
struct CurveKeys {
  Cells cells;
  const float* positions = nullptr;
  std::size_t stride = 3;
  const std::uint8_t* keep = nullptr;
  std::size_t n = 0;
  bool hilbert = false;  ///< else Morton
  std::uint64_t* keys = nullptr;
  std::uint32_t* rows = nullptr;
};
void curve_keys(const CurveKeys& keys, Stream stream);

/// What ties there are; cleared by the caller before find_ties().
struct TieCounts {
  unsigned long long ties = 0;          ///< kept rows − distinct keys of kept rows
  unsigned long long longest_kept = 0;  ///< most kept rows of one key
  unsigned long long longest = 0;       ///< most rows of one key
};

/// Rows sorted by key.
struct SortedKeys {
  const std::uint64_t* keys = nullptr;  ///< [n] ascending
  std::size_t n = 0;
};
void find_ties(const SortedKeys& sorted, TieCounts* counts, Stream stream);

/// One pass of sorting each run of equal keys by (position, values, row): runs are merged from sorted pieces
/// of `width` rows to pieces of 2 · width. Passes with width = 1, 2, 4 … < TieCounts::longest sort all.
/// −0 equals +0.
struct MergeTies {
  SortedKeys sorted;
  const float* positions = nullptr;
  std::size_t stride = 3;
  const float* values = nullptr;  ///< [· × num_channels] or null
  std::uint32_t num_channels = 0;
  std::size_t width = 1;
  const std::uint32_t* from = nullptr;  ///< [n] rows by key
  std::uint32_t* to = nullptr;          ///< [n]; not from
};
void merge_ties(const MergeTies& ties, Stream stream);

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
