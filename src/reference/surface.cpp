// SPDX-License-Identifier: BSD-3-Clause
#include "reference/surface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "attention/placement.h"
#include "reference/tiles.h"

namespace pcl_attention::reference {
namespace {

constexpr double kEqual = 1e-24;  ///< variance over squared mean: what rounding makes of equal numbers

std::vector<std::int64_t> ranks(const RankedTokens& ranked) {
  const std::size_t n = ranked.tokens->n;
  std::vector<std::int64_t> result(n + ranked.num_padded, -1);
  for (std::size_t i = 0; i < ranked.num_ranked; ++i)
    if (ranked.keep == nullptr || ranked.keep[i] != 0) result[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < ranked.num_padded; ++i)
    result[n + i] = static_cast<std::int64_t>(ranked.num_ranked + i);
  return result;
}

/// Mean ± √3 standard deviations of the kept placed positions, see attention/placement.h.
void find_box(const SurfaceRows& surface, SurfaceFacts& facts) {
  std::vector<Index> kept;
  for (Index i = 0; i < surface.positions.rows(); ++i)
    if (surface.rank[static_cast<std::size_t>(i)] >= 0) kept.push_back(i);
  const double count = std::max(1.0, static_cast<double>(kept.size()));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double mean = 0.0, variance = 0.0;
    for (Index i : kept) mean += surface.positions(i, index(axis)) / count;
    for (Index i : kept) variance += std::pow(surface.positions(i, index(axis)) - mean, 2) / count;
    const double half = variance > kEqual * mean * mean ? std::sqrt(3.0 * variance) : 0.0;
    facts.lowest[axis] = mean - half;
    facts.highest[axis] = mean + half;
  }
}

SurfaceFacts facts_of(const SurfaceRows& surface, std::size_t num_ranks, LengthPolicy policy) {
  SurfaceFacts facts;
  facts.num_ranks = num_ranks;
  facts.length_policy = policy;
  find_box(surface, facts);
  return facts;
}

}  // namespace

std::size_t SurfaceRows::num_chunks() const {
  return std::max<std::size_t>(1, (rank.size() + kChunkPoints - 1) / kChunkPoints);
}

AskedRows rows_of(const SurfaceRows& surface, std::vector<Index> rows) {
  const auto count = static_cast<Index>(rows.size());
  AskedRows asked;
  asked.x.resize(count, surface.x.cols());
  asked.positions.resize(surface.positions.rows() == 0 ? 0 : count, 3);
  for (Index i = 0; i < count; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    asked.x.row(i) = surface.x.row(row);
    if (row < surface.positions.rows()) asked.positions.row(i) = surface.positions.row(row);
  }
  asked.places = std::move(rows);
  return asked;
}

SurfaceRows embed(const TokenEmbedding& embedding, const Frame& frame, const RankedTokens& ranked,
                  const EncodeControls& controls) {
  const TokenRows& tokens = *ranked.tokens;
  SurfaceRows surface;
  surface.rank = ranks(ranked);
  surface.x = Matrix::Zero(index(surface.rank.size()), embedding.width());
  surface.positions.resize(tokens.positions == nullptr ? 0 : index(tokens.n), 3);
  for_tiles(index(tokens.n), controls, [&](Index begin, Index count) {
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(begin + count);
    surface.x.middleRows(begin, count) = embedding.rows(tokens, frame, ranked.num_ranked, first, last);
    if (surface.positions.rows() != 0)
      surface.positions.middleRows(begin, count) = embedding.positions(tokens, frame.placement, first, last);
  });
  surface.facts = facts_of(surface, ranked.num_ranked + ranked.num_padded, frame.length_policy);
  return surface;
}

}  // namespace pcl_attention::reference
