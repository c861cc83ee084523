// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>

#include "pcl_attention/tokens.h"
#include "report/encoder_checks.h"
#include "weights/random.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kPairs = 100000;
constexpr std::uint64_t kStream = 103;  ///< of the seed

std::size_t below(RandomSequence& random, std::size_t bound) {
  return static_cast<std::size_t>((std::uint64_t{random.next()} * bound) >> 32);
}

Tokens tokens_of(const Encoder& encoder, const CloudView& cloud) {
  GatherOptions gathering;
  gathering.field_names = encoder.options().field_names;
  gathering.zero_is_invalid = encoder.options().zero_is_invalid;
  gathering.positions = true;
  gathering.num_threads = encoder.options().num_threads;
  if (encoder.options().grid) gathering.origin = encoder.options().grid->origin;
  return gather(cloud, encoder.model().config().input, gathering);
}

/// A point's rank in two orders.
struct Moved {
  std::uint32_t before, after;
};

double kendall_tau(const std::vector<Moved>& points, std::uint64_t seed) {
  RandomSequence random(seed, kStream);
  std::ptrdiff_t agreement = 0;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const std::size_t i = below(random, points.size());
    std::size_t j = below(random, points.size() - 1);
    j += j >= i ? 1 : 0;
    const bool same = (points[i].before < points[j].before) == (points[i].after < points[j].after);
    agreement += same ? 1 : -1;
  }
  return static_cast<double>(agreement) / static_cast<double>(kPairs);
}

}  // namespace

Ranks::Ranks(const Encoder& encoder, const CloudView& cloud) : rank_of_point_(cloud.num_points(), kNone) {
  const Tokens tokens = tokens_of(encoder, cloud);
  OrderInput input;
  input.num_rows = tokens.size();
  input.positions = tokens.positions.data();
  input.values = tokens.values.data();
  input.num_channels = tokens.num_channels;
  input.origin = tokens.origin;
  const Order order =
      canonical_order(input, encoder.order(), encoder.options().grid, encoder.options().num_threads);
  for (std::size_t rank = 0; rank < order.row_of_rank.size(); ++rank)
    rank_of_point_[tokens.point[order.row_of_rank[rank]]] = static_cast<std::uint32_t>(rank);
  diagnostics_ = order.diagnostics;
}

RankStability Ranks::compare(const Ranks& changed, double sigma, std::uint64_t seed) const {
  std::vector<Moved> points;
  std::vector<std::size_t> distance;
  for (std::size_t i = 0; i < rank_of_point_.size(); ++i) {
    const Moved moved{rank_of_point_[i], changed.rank_of_point_[i]};
    if (moved.before == kNone || moved.after == kNone) continue;
    points.push_back(moved);
    distance.push_back(std::max(moved.before, moved.after) - std::min(moved.before, moved.after));
  }
  RankStability result;
  result.sigma = sigma;
  if (points.size() < 2) return result;
  std::sort(distance.begin(), distance.end());
  result.median = distance[(distance.size() - 1) / 2];
  result.p99 = distance[(distance.size() * 99 + 99) / 100 - 1];
  result.max = distance.back();
  result.kendall_tau = kendall_tau(points, seed);
  result.pairs = kPairs;
  return result;
}

}  // namespace pcl_attention
