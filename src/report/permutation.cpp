// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "pcl_attention/equivariance.h"
#include "weights/random.h"

namespace pcl_attention {
namespace {

/// Returns a number in [0, bound).
std::size_t below(RandomSequence& random, std::size_t bound) {
  return static_cast<std::size_t>((std::uint64_t{random.next()} * bound) >> 32);
}

}  // namespace

std::vector<std::uint32_t> make_permutation(const Permutation& permutation, std::size_t num_rows) {
  std::vector<std::uint32_t> rows(num_rows);
  std::iota(rows.begin(), rows.end(), 0U);
  if (num_rows < 2) return rows;
  RandomSequence random(permutation.seed, static_cast<std::uint64_t>(permutation.kind));
  switch (permutation.kind) {
    case PermutationKind::reversed:
      std::reverse(rows.begin(), rows.end());
      break;
    case PermutationKind::ends_exchanged:
      std::swap(rows.front(), rows.back());
      break;
    case PermutationKind::adjacent_swap: {
      const std::size_t at = below(random, num_rows - 1);
      std::swap(rows[at], rows[at + 1]);
      break;
    }
    case PermutationKind::block_rotation:
      std::rotate(rows.begin(), rows.begin() + 1 + static_cast<std::ptrdiff_t>(below(random, num_rows - 1)),
                  rows.end());
      break;
    case PermutationKind::random:
      for (std::size_t i = num_rows; i > 1; --i) std::swap(rows[i - 1], rows[below(random, i)]);
      break;
  }
  return rows;
}

std::string to_string(const Permutation& permutation) {
  const std::string seed = " " + std::to_string(permutation.seed);
  switch (permutation.kind) {
    case PermutationKind::reversed:
      return "reversed";
    case PermutationKind::ends_exchanged:
      return "first and last exchanged";
    case PermutationKind::adjacent_swap:
      return "adjacent swap" + seed;
    case PermutationKind::block_rotation:
      return "block rotation" + seed;
    case PermutationKind::random:
      break;
  }
  return "random" + seed;
}

}  // namespace pcl_attention
