// SPDX-License-Identifier: BSD-3-Clause
// Ordering alone, from positions to ranks, against std::sort of ready (key, index) pairs on one thread.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <utility>

#include "bench/measure.h"
#include "bench/report.h"
#include "exec/parallel.h"
#include "ordering/keys.h"
#include "ordering/order.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;

using Pairs = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

std::vector<float> random_positions(std::size_t n) {
  std::mt19937 generator(1);
  std::vector<float> positions(3 * n);
  for (float& x : positions) x = static_cast<float>(generator() >> 8) / 16777216.0F * 100.0F;
  return positions;
}

/// Returns a turn of a 128-beam sensor 1.8 m above the ground of a hall of 90 m x 50 m, column by column,
/// with 2 cm of noise.
std::vector<float> lidar_positions(std::size_t n) {
  std::mt19937 generator(2);
  std::vector<float> positions;
  positions.reserve(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const double azimuth = 6.283185307 * static_cast<double>(i / 128 * 128) / static_cast<double>(n);
    const double elevation = (static_cast<double>(i % 128) - 63.5) / 128.0 * 0.7854;
    const double x = std::cos(elevation) * std::cos(azimuth), y = std::cos(elevation) * std::sin(azimuth),
                 z = std::sin(elevation);
    double range = std::min(45.0 / std::abs(x), 25.0 / std::abs(y));
    if (z < 0.0) range = std::min(range, 1.8 / -z);
    range += 0.02 * (static_cast<double>(generator() >> 8) / 8388608.0 - 1.0);
    for (const double direction : {x, y, z}) positions.push_back(static_cast<float>(range * direction));
  }
  return positions;
}

Pairs keyed_pairs(const OrderInput& input, Curve curve) {
  std::vector<KeyedRow> rows(input.num_rows);
  curve_keys(input, cell_grid(kept_box(input), input.origin, {}), curve, rows.data());
  Pairs pairs;
  pairs.reserve(rows.size());
  for (const KeyedRow& row : rows) pairs.emplace_back(row.key(), row.row);
  return pairs;
}

/// @throws std::runtime_error unless the order has the sorted keys in their sequence, each row once.
void check_order(const Order& order, const Pairs& pairs, const Pairs& sorted) {
  inverse_permutation(order.row_of_rank);
  for (std::size_t rank = 0; rank < sorted.size(); ++rank)
    require(pairs[order.row_of_rank[rank]].first == sorted[rank].first, "the order is not sorted by key");
}

Row measure(const char* name, Curve curve, std::size_t n, const std::vector<float>& positions,
            std::size_t rounds) {
  OrderInput input;
  input.num_rows = n;
  input.positions = input.values = positions.data();
  input.num_channels = 3;
  const Pairs pairs = keyed_pairs(input, curve);
  Pairs sorted;
  Order order;
  Threads threads(0);
  const std::unique_ptr<std::byte[]> scratch(new std::byte[order_scratch_size(n)]);
  const auto ours = [&] { threads.run([&] { canonical_order(input, curve, {}, scratch.get(), order); }); };
  ours();
  sorted = pairs;
  std::sort(sorted.begin(), sorted.end());
  check_order(order, pairs, sorted);
  Samples of_order, of_sort;
  for (std::size_t round = 0; round < rounds; ++round) {
    of_order.add(time_call(ours));
    sorted = pairs;
    of_sort.add(time_call([&] { std::sort(sorted.begin(), sorted.end()); }));
  }
  return {{"keys", name},
          {"curve", curve == Curve::hilbert ? "hilbert" : "morton"},
          {"n", n},
          {"order_ms", 1e3 * median(of_order.wall)},
          {"order_cpu_ms", 1e3 * median(of_order.cpu)},
          {"sort_ms", 1e3 * median(of_sort.wall)},
          {"sort_cpu_ms", 1e3 * median(of_sort.cpu)},
          {"ratio", median(of_sort.wall) / median(of_order.wall)},
          {"cpu_ratio", median(of_sort.cpu) / median(of_order.cpu)},
          {"ties", order.diagnostics.ties}};
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv);
  Report report("ordering");
  std::vector<Row> rows;
  for (std::size_t n = 100000; n <= (arguments.quick ? 100000U : 10000000U); n *= 10) {
    const std::size_t rounds = arguments.quick ? 3 : std::max<std::size_t>(5, 5000000 / n);
    for (const Curve curve : {Curve::morton, Curve::hilbert}) {
      rows.push_back(measure("random", curve, n, random_positions(n), rounds));
      rows.push_back(measure("lidar", curve, n, lidar_positions(n), rounds));
    }
  }
  report.table("canonical_order beside std::sort of (key, index)", rows);
  report.write(arguments.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "ordering: %s\n", error.what());
  return 1;
}
