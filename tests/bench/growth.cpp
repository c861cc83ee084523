// SPDX-License-Identifier: BSD-3-Clause
// How time and memory of encode() grow with the number of points.
#include <cmath>
#include <cstdio>
#include <exception>

#include "bench/measure.h"
#include "bench/report.h"
#include "bench/resident.h"
#include "pcl_attention/encoder.h"
#include "support/clouds.h"
#include "support/compare.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;

/// A cloud, the call that encodes it, and its rows.
struct Call {
  Call(Encoder& the_encoder, std::size_t n)
      : encoder(the_encoder),
        cloud(test::random_cloud(n, 1)),
        rows(n * encoder.model().config().output_width()) {
    input.surface = cloud.view();
  }
  EncodeResult operator()() { return encoder.encode(input, rows.data()); }

  Encoder& encoder;
  test::FloatCloud cloud;
  EncodeInput input;
  std::vector<float> rows;
};

Encoder make_encoder(const ModelPtr& model, Device device) {
  EncoderOptions options;
  options.device = device;
  return Encoder(model, options);
}

void check(const ModelPtr& model, const std::string& name) {
  Encoder fast = make_encoder(model, Device::cpu), right = make_encoder(model, Device::reference);
  Call ours(fast, 3000), reference(right, 3000);
  ours();
  reference();
  require(test::relative_l2(ours.rows, reference.rows) < 1e-5, name + " differs from the reference");
}

/// Returns the slope of log y over log x by least squares.
double log_slope(const std::vector<Row>& rows, const std::string& y) {
  double sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0;
  for (const Row& row : rows) {
    const double log_x = std::log(row["n"].get<double>()), log_y = std::log(row[y].get<double>());
    sum_x += log_x, sum_y += log_y, sum_xx += log_x * log_x, sum_xy += log_x * log_y;
  }
  const double count = static_cast<double>(rows.size());
  return (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
}

Row measure(const ModelPtr& model, std::size_t n, double seconds) {
  Encoder encoder = make_encoder(model, Device::cpu);
  Call call(encoder, n);
  const ResidentPeak peak;
  const Seconds first = time_call([&] { call(); });
  const double bytes = peak.bytes();
  const auto rounds = static_cast<std::size_t>(std::min(std::max(seconds / first.wall, 3.0), 50.0));
  const Samples samples = take_turns(rounds, {[&] { call(); }}).front();
  return {{"n", n},
          {"ms", 1e3 * median(samples.wall)},
          {"worst_ms", 1e3 * samples.worst()},
          {"cpu_ms", 1e3 * median(samples.cpu)},
          {"ns_per_point", 1e9 * median(samples.wall) / static_cast<double>(n)},
          {"bytes_per_point", bytes / static_cast<double>(n)},
          {"estimate_per_point", static_cast<double>(encoder.memory_estimate(n)) / static_cast<double>(n)}};
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv);
  Report report("growth");
  std::vector<Row> slopes;
  for (const auto& [name, largest] :
       {std::pair<std::string, std::size_t>{"linformer", 1048576}, {"full", 65536}}) {
    const ModelPtr model = make_preset(name);
    check(model, name);
    std::vector<Row> rows;
    for (std::size_t n = 4096; n <= (arguments.quick ? 8192 : largest); n *= 2)
      rows.push_back(measure(model, n, arguments.quick ? 0.1 : 3.0));
    report.table(name, rows);
    const double span = rows.back()["n"].get<double>() - rows.front()["n"].get<double>();
    const auto bytes = [](const Row& row) {
      return row["bytes_per_point"].get<double>() * row["n"].get<double>();
    };
    slopes.push_back({{"model", name},
                      {"slope_wall", log_slope(rows, "ms")},
                      {"slope_cpu", log_slope(rows, "cpu_ms")},
                      {"bytes_per_added_point", (bytes(rows.back()) - bytes(rows.front())) / span}});
  }
  report.table("log-log slope of time over n", slopes);
  report.write(arguments.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "growth: %s\n", error.what());
  return 1;
}
