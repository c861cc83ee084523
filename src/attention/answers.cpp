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

/// Fills answers.rank_of_point; kNone for invalid points.
void find_ranks(const Surface& surface, Answers& answers) {
  answers.rank_of_point.assign(surface.tokens.num_points, kNone);
  for_each_block(surface.tokens.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rank = begin; rank < end; ++rank)
      answers.rank_of_point[surface.point(rank)] = static_cast<std::uint32_t>(rank);
  });
}

std::size_t checked(const std::int32_t* points, std::size_t i, std::size_t num_points) {
  if (points[i] < 0 || static_cast<std::size_t>(points[i]) >= num_points)
    throw std::invalid_argument("encode: query_points[" + std::to_string(i) + "] is " +
                                std::to_string(points[i]) + ", the surface has " + std::to_string(num_points) +
                                " points");
  return static_cast<std::size_t>(points[i]);
}

}  // namespace

void answer_all(const Surface& surface, Answers& answers) {
  answers.num_rows = surface.tokens.num_points;
  make_room(surface.tokens.size(), answers.row);
  for_each_block(answers.row.size(), kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rank = begin; rank < end; ++rank) answers.row[rank] = surface.point(rank);
  });
}

void answer_points(const Surface& surface, const std::int32_t* points, std::size_t count, Answers& answers) {
  find_ranks(surface, answers);
  answers.num_rows = count;
  answers.row.clear();
  answers.rank.clear();
  answers.row.reserve(count);
  answers.rank.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t rank = answers.rank_of_point[checked(points, i, surface.tokens.num_points)];
    if (rank == kNone) continue;
    answers.rank.push_back(rank);
    answers.row.push_back(static_cast<std::uint32_t>(i));
  }
}

template <class T>
std::size_t fill_nan_rows(Answers& answers, std::size_t width, T* rows) {
  const std::size_t num_nan = answers.num_rows - answers.row.size();
  if (num_nan == 0) return 0;
  answers.answered.assign(answers.num_rows, 0);
  for (std::uint32_t row : answers.row) answers.answered[row] = 1;
  for_each_block(answers.num_rows, kChunkPoints, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      if (answers.answered[row] == 0)
        std::fill_n(rows + row * width, width, std::numeric_limits<T>::quiet_NaN());
  });
  return num_nan;
}

template std::size_t fill_nan_rows(Answers&, std::size_t, float*);
template std::size_t fill_nan_rows(Answers&, std::size_t, double*);

}  // namespace pcl_attention
