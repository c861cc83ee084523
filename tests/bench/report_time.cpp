// SPDX-License-Identifier: BSD-3-Clause
// What a report of 16 permutations costs, in encodes of the same cloud.
#include <cstdio>
#include <exception>

#include "bench/measure.h"
#include "bench/report.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/sensitivity.h"
#include "support/clouds.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;

constexpr std::size_t kPermutations = 16;

SensitivityOptions permutations_only() {
  SensitivityOptions options;
  options.groups = {ChangeGroup::permutation};
  options.num_permutations = kPermutations;
  options.floor = options.layers = false;
  return options;
}

/// @param order  of the points, or none
Row measure(const std::string& preset, Curve order, std::size_t n, std::size_t rounds) {
  EncoderOptions settings;
  settings.order = order;
  Encoder encoder(open_model("preset:" + preset), settings);
  const test::FloatCloud cloud = test::random_cloud(n, 1);
  std::vector<float> rows(n * encoder.model().config().output_width());
  EncodeInput input;
  input.surface = cloud.view();
  EquivarianceLevel level = EquivarianceLevel::none;
  const auto samples = take_turns(
      rounds,
      {[&] {
         for (std::size_t i = 0; i <= kPermutations; ++i) encoder.encode(input, rows.data());
       },
       [&] { level = measure_sensitivity(cloud.view(), encoder, permutations_only()).equivariance.level; }});
  // the report encodes as often as its rival: the cloud and each permutation
  const double encodes = static_cast<double>(kPermutations + 1);
  require((level == EquivarianceLevel::none) == (order == Curve::none), preset + ": level");
  return {{"model", preset},
          {"order", order == Curve::none ? "none" : "morton"},
          {"n", n},
          {"encode_ms", 1e3 * median(samples[0].wall) / encodes},
          {"report_ms", 1e3 * median(samples[1].wall)},
          {"encodes", encodes * median(samples[1].wall) / median(samples[0].wall)},
          {"encodes_cpu", encodes * median(samples[1].cpu) / median(samples[0].cpu)}};
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv);
  const std::size_t n = arguments.quick ? 5000 : 131072, rounds = arguments.quick ? 1 : 3;
  Report report("report_time");
  std::vector<Row> rows;
  for (const Curve order : {Curve::morton, Curve::none})
    rows.push_back(measure("linformer", order, n, rounds));
  report.table("a report of 16 permutations, in encodes", rows);
  report.write(arguments.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "report_time: %s\n", error.what());
  return 2;
}
