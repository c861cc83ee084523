// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace pcl_attention::test {

/// One of the eight parts of a Hilbert curve: where it lies, and the whole curve's axis that each of its axes
/// is, from the first cell on or backwards.
struct HilbertPart {
  std::array<std::uint64_t, 3> octant;
  std::array<std::size_t, 3> axis;
  std::array<bool, 3> backwards;
};

/// The parts in their sequence. Each begins beside the cell that the one before ends with.
constexpr HilbertPart kHilbertParts[8] = {
    {{0, 0, 0}, {1, 2, 0}, {false, false, false}}, {{0, 0, 1}, {1, 0, 2}, {false, false, false}},
    {{0, 1, 1}, {0, 1, 2}, {false, false, false}}, {{0, 1, 0}, {2, 1, 0}, {true, false, true}},
    {{1, 1, 0}, {2, 1, 0}, {false, false, false}}, {{1, 1, 1}, {0, 1, 2}, {false, false, false}},
    {{1, 0, 1}, {1, 0, 2}, {true, true, false}},   {{1, 0, 0}, {1, 2, 0}, {true, false, true}}};

using HilbertCell = std::array<std::uint64_t, 3>;

/// Returns the cell at a place of the curve through 2^21 cells per axis: a curve of twice the size is eight
/// copies of a curve, turned.
inline HilbertCell hilbert_cell(std::uint64_t key) {
  HilbertCell cell{};
  for (int level = 0; level < 21; ++level) {
    const HilbertPart& part = kHilbertParts[key >> 3 * level & 7];
    const std::uint64_t last = (std::uint64_t{1} << level) - 1;
    HilbertCell larger{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t index = cell[part.axis[axis]];
      larger[axis] = part.octant[axis] << level | (part.backwards[axis] ? last - index : index);
    }
    cell = larger;
  }
  return cell;
}

/// Returns the place of a cell: in each octant that holds it, from the whole cube down.
inline std::uint64_t hilbert_key(HilbertCell cell) {
  std::uint64_t key = 0;
  for (int level = 20; level >= 0; --level) {
    const std::uint64_t last = (std::uint64_t{1} << level) - 1;
    for (const HilbertPart& part : kHilbertParts) {
      bool inside = true;
      for (std::size_t axis = 0; axis < 3; ++axis)
        inside = inside && cell[axis] >> level == part.octant[axis];
      if (!inside) continue;
      key = key << 3 | static_cast<std::uint64_t>(&part - kHilbertParts);
      HilbertCell smaller{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::uint64_t index = cell[axis] & last;
        smaller[part.axis[axis]] = part.backwards[axis] ? last - index : index;
      }
      cell = smaller;
      break;
    }
  }
  return key;
}

}  // namespace pcl_attention::test
