// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "attention/placement.h"
#include "exec/parallel.h"

namespace pcl_attention {
namespace {

/// Sums or maxima of the rows of some chunks.
struct Pool {
  std::vector<double> values;  // empty: no row yet
  double weight = 0.0;
};

class Pooler {
 public:
  Pooler(const PoolInput& input, Pooling pooling) : input_(input), pooling_(pooling) {}

  Pool chunk(std::size_t index) const {
    Pool pool;
    const std::size_t begin = index * kChunkPoints, end = std::min(input_.num_ranked, begin + kChunkPoints);
    for (std::size_t rank = begin; rank < end; ++rank) add_row(input_.row_of_rank[rank], pool);
    return pool;
  }

  void merge(Pool& left, const Pool& right) const {
    if (right.values.empty()) return;
    if (left.values.empty()) {
      left = right;
      return;
    }
    for (std::size_t c = 0; c < input_.width; ++c) add(right.values[c], left.values[c]);
    left.weight += right.weight;
  }

 private:
  void add(double value, double& total) const {
    total = pooling_ == Pooling::maximum ? std::max(total, value) : total + value;
  }

  void add_row(std::size_t row, Pool& pool) const {
    const float* const y = input_.rows + row * input_.width;
    if (std::any_of(y, y + input_.width, [](float value) { return std::isnan(value); })) return;
    const double weight = pooling_ == Pooling::attention ? input_.weights[row] : 1.0;
    if (!(weight >= 0.0))
      throw std::invalid_argument("pool_rows: weight " + std::to_string(row) + " is " +
                                  std::to_string(weight) + ", expected 0 or more");
    const double start = pooling_ == Pooling::maximum ? -std::numeric_limits<double>::infinity() : 0.0;
    if (pool.values.empty()) pool.values.assign(input_.width, start);
    for (std::size_t c = 0; c < input_.width; ++c)
      add(pooling_ == Pooling::maximum ? y[c] : weight * static_cast<double>(y[c]), pool.values[c]);
    pool.weight += weight;
  }

  const PoolInput& input_;
  const Pooling pooling_;
};

}  // namespace

void pool_rows(const PoolInput& input, Pooling pooling, float* out, unsigned num_threads) {
  if (pooling == Pooling::attention && input.weights == nullptr)
    throw std::invalid_argument("pool_rows: attention pooling needs weights");
  const Pooler pooler(input, pooling);
  const std::size_t num_chunks = (input.num_ranked + kChunkPoints - 1) / kChunkPoints;
  Pool pool;
  if (num_chunks != 0)
    pool = with_threads(num_threads, [&] {
      return tree_reduce(
          0, num_chunks, [&](std::size_t index) { return pooler.chunk(index); },
          [&](Pool& left, const Pool& right) { pooler.merge(left, right); });
    });
  if (pool.values.empty() || pool.weight == 0.0) {
    std::fill_n(out, input.width, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const double divisor = pooling == Pooling::maximum ? 1.0 : pool.weight;
  for (std::size_t c = 0; c < input.width; ++c) out[c] = static_cast<float>(pool.values[c] / divisor);
}

}  // namespace pcl_attention
