// SPDX-License-Identifier: BSD-3-Clause
#include "attention/answers.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "attention/placement.h"
#include "exec/parallel.h"

namespace pcl_attention {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Writes the rank of each point of the cloud; kNone for invalid points.
void find_ranks(const Surface& surface, std::vector<std::uint32_t>& rank_of_point) {
  const TokenRows tokens = surface.rows();
  rank_of_point.assign(surface.tokens.num_points, kNone);
  for_each_block(tokens.n, kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rank = begin; rank < end; ++rank)
      rank_of_point[surface.tokens.point[tokens.row_of(rank)]] = static_cast<std::uint32_t>(rank);
  });
}

void check_point(std::size_t i, std::int32_t point, std::size_t num_points) {
  if (point >= 0 && static_cast<std::size_t>(point) < num_points) return;
  throw std::invalid_argument("encode: query_points[" + std::to_string(i) + "] is " + std::to_string(point) +
                              ", the surface has " + std::to_string(num_points) + " points");
}

}  // namespace

void choose_points(const Surface& surface, const std::int32_t* points, std::size_t count,
                   ChosenPoints& chosen) {
  find_ranks(surface, chosen.rank_of_point);
  chosen.row.clear();
  chosen.rank.clear();
  chosen.row.reserve(count);
  chosen.rank.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    check_point(i, points[i], surface.tokens.num_points);
    const std::uint32_t rank = chosen.rank_of_point[static_cast<std::size_t>(points[i])];
    if (rank == kNone) continue;
    chosen.rank.push_back(rank);
    chosen.row.push_back(static_cast<std::uint32_t>(i));
  }
}

template <class T>
std::size_t fill_nan_rows(const std::vector<std::uint32_t>& answered, std::size_t num_rows, std::size_t width,
                          T* rows) {
  if (answered.size() == num_rows) return 0;
  for_each_block(num_rows, kChunkPoints, [&](std::size_t begin, std::size_t end) {
    auto next = std::lower_bound(answered.begin(), answered.end(), begin);
    for (std::size_t row = begin; row < end; ++row) {
      if (next != answered.end() && *next == row)
        ++next;
      else
        std::fill_n(rows + row * width, width, std::numeric_limits<T>::quiet_NaN());
    }
  });
  return num_rows - answered.size();
}

template std::size_t fill_nan_rows(const std::vector<std::uint32_t>&, std::size_t, std::size_t, float*);
template std::size_t fill_nan_rows(const std::vector<std::uint32_t>&, std::size_t, std::size_t, double*);

}  // namespace pcl_attention
