// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "pcl_attention/ranking.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention {
namespace {

Tokens gather_positions(const CloudView& cloud, const RankingOptions& options) {
  InputSpec input;
  input.normalization = Normalization::centred;
  GatherOptions gathering;
  gathering.field_names = options.field_names;
  gathering.zero_is_invalid = options.zero_is_invalid;
  gathering.positions = true;
  gathering.num_threads = options.num_threads;
  if (options.grid && options.curve != Curve::none) gathering.origin = options.grid->origin;
  return gather(cloud, input, gathering);
}

/// Compares two points by the bytes of their named fields.
class ByteOrder {
 public:
  explicit ByteOrder(const CloudView& cloud) : cloud_(cloud) {}

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    const std::byte *const p = cloud_.point(a), *const q = cloud_.point(b);
    for (const Field& field : cloud_.fields) {
      if (field.name == "_") continue;
      const int sign = std::memcmp(p + field.offset, q + field.offset, field.count * size_of(field.type));
      if (sign != 0) return sign < 0;
    }
    return a < b;
  }

 private:
  const CloudView& cloud_;
};

bool same_place(const float* a, const float* b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

}  // namespace

std::vector<std::uint32_t> ranked_points(const CloudView& cloud, const RankingOptions& options) {
  const Tokens tokens = gather_positions(cloud, options);
  if (options.curve == Curve::none) return tokens.point;
  OrderInput input;
  input.num_rows = tokens.size();
  input.positions = tokens.positions.data();
  input.origin = tokens.origin;
  const std::vector<std::uint32_t> row_of_rank =
      canonical_order(input, options.curve, options.grid, options.num_threads).row_of_rank;

  std::vector<std::uint32_t> points(tokens.size());
  for (std::size_t rank = 0; rank < points.size(); ++rank) points[rank] = tokens.point[row_of_rank[rank]];
  const auto place = [&](std::size_t rank) { return tokens.positions.data() + row_of_rank[rank] * 3; };
  const ByteOrder byte_order(cloud);
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    end = begin + 1;
    while (end < points.size() && same_place(place(begin), place(end))) ++end;
    std::sort(points.begin() + static_cast<std::ptrdiff_t>(begin),
              points.begin() + static_cast<std::ptrdiff_t>(end), byte_order);
  }
  return points;
}

}  // namespace pcl_attention
