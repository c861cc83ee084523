// SPDX-License-Identifier: BSD-3-Clause
// How much of the machine's limit encode() and each of its kernels reach. The limit is the time of the least
// flops at the rate of a large square sgemm of OpenBLAS, plus that of the exponentials in a bare loop, both
// measured in the same run.
//   bench_limit [--quick] [--json FILE] [AVX2 | AVX3 | ...]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>

#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "bench/tile_kernels.h"
#include "hwy/targets.h"
#include "pcl_attention/encoder.h"
#include "support/clouds.h"
#include "support/compare.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;

/// C 64, H 4, k 128, feed-forward 128, depth 2, E of n rows, on n rows of 64 numbers as they come.
ModelConfig config_for(std::size_t n) {
  ModelConfig config;
  config.name = "limit";
  config.input.fields = {{"features", 64}};
  config.order = Curve::none;
  config.embedding = Embedding::identity;
  config.projection.length = n;
  return config;
}

struct Cloud {
  explicit Cloud(std::size_t n) : values(test::random_cloud(n * 64, 1, {"value"}).values) {
    view.data = reinterpret_cast<const std::byte*>(values.data());
    view.size = values.size() * sizeof(float);
    view.width = n;
    view.point_step = 64 * sizeof(float);
    view.fields = {{"features", FieldType::float32, 0, 64}};
  }
  std::vector<float> values;
  CloudView view;
};

std::vector<float> encode(Encoder& encoder, const Cloud& cloud, StageSeconds& seconds) {
  EncodeInput input;
  input.surface = cloud.view;
  std::vector<float> rows(cloud.values.size());
  seconds = encoder.encode(input, rows.data()).seconds;
  return rows;
}

Encoder make_encoder(const ModelPtr& model, Device device, unsigned num_threads) {
  EncoderOptions options;
  options.device = device;
  options.num_threads = num_threads;
  return Encoder(model, options);
}

void check(unsigned num_threads) {
  const Cloud cloud(2000);
  StageSeconds seconds;
  const ModelPtr model = make_random_model(config_for(2000), 1);
  Encoder fast = make_encoder(model, Device::cpu, num_threads),
          right = make_encoder(model, Device::reference, 0);
  require(test::relative_l2(encode(fast, cloud, seconds), encode(right, cloud, seconds)) < 1e-5,
          "encode differs from the reference");
}

/// Exponentials of a layer and point: softmax over k slots of every head, and GELU.
double exponentials_of(const ModelConfig& config, std::size_t n) {
  const std::size_t per_point = config.heads * config.projection.k + config.feed_forward;
  return static_cast<double>(n * per_point * config.depth);
}

void whole(Report& report, const ModelPtr& model, unsigned num_threads, std::size_t rounds) {
  const std::size_t n = model->config().projection.length;
  Machine machine(static_cast<int>(num_threads), 2048);
  Encoder encoder = make_encoder(model, Device::cpu, num_threads);
  const Cloud cloud(n);
  std::vector<double> encode_seconds, cpu;
  Rates rates, processor;
  for (std::size_t round = 0; round <= rounds; ++round) {
    machine.measure(rates, processor);
    StageSeconds seconds;
    const Seconds all = time_call([&] { encode(encoder, cloud, seconds); });
    if (round == 0) continue;
    encode_seconds.push_back(seconds.encode);
    cpu.push_back(all.cpu);
  }
  const double exponentials = exponentials_of(model->config(), n);
  const double limit = rates.seconds(encoder.flop_estimate(n), exponentials);
  const double limit_cpu = processor.seconds(encoder.flop_estimate(n), exponentials);
  report.table("encode, n = " + std::to_string(n) + ", " + std::to_string(num_threads) + " threads",
               {{{"engine", encoder.engine()},
                 {"gflop", 1e-9 * encoder.flop_estimate(n)},
                 {"sgemm_gflop_per_s", 1e-9 * rates.flops},
                 {"ns_per_exponential", 1e9 / rates.exponentials},
                 {"limit_ms", 1e3 * limit},
                 {"encode_ms", 1e3 * median(encode_seconds)},
                 {"cpu_ms", 1e3 * median(cpu)},
                 {"fraction", limit / median(encode_seconds)},
                 {"cpu_fraction", limit_cpu / median(cpu)}}});
}

void stages(Report& report, std::size_t n, std::size_t rounds) {
  Machine machine(1, 1024);
  Rates clock, rates;
  TileKernels kernels(config_for(n));
  std::vector<std::function<void()>> contestants;
  for (const Kernel& kernel : kernels.all()) contestants.push_back(kernel.run);
  contestants.push_back([&] { machine.measure(clock, rates); });
  const std::vector<Samples> samples = take_turns(rounds, contestants);
  const double tiles = static_cast<double>(n * config_for(n).depth) / static_cast<double>(simd::kTilePoints);
  std::vector<Row> rows;
  double sum = 0.0, sum_of_limits = 0.0;
  const auto add = [&](const std::string& name, double seconds, double limit) {
    rows.push_back({{"stage", name},
                    {"us_per_tile", 1e6 * seconds / tiles},
                    {"limit_us", 1e6 * limit / tiles},
                    {"fraction", limit / seconds},
                    {"ms_on_one_thread", 1e3 * seconds}});
  };
  for (std::size_t i = 0; i < kernels.all().size(); ++i) {
    const Kernel& kernel = kernels.all()[i];
    const double seconds = median(samples[i].cpu) / TileKernels::kRepeats * tiles;
    const double limit = rates.seconds(kernel.flops, kernel.exponentials) * tiles;
    add(kernel.name, seconds, limit);
    sum += seconds;
    sum_of_limits += limit;
  }
  add("all", sum, sum_of_limits);
  report.table("kernels on one thread, on a tile that stays in cache, for n = " + std::to_string(n), rows);
}

void choose_target(const std::string& name) {
  for (const auto target : hwy::SupportedAndGeneratedTargets())
    if (name == hwy::TargetName(target)) return hwy::SetSupportedTargetsForTest(target);
  throw std::invalid_argument("this machine has no " + name);
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv);
  if (!arguments.words.empty()) choose_target(arguments.words.front());
  choose_openblas(simd::target_name(), argv);
  Report report("limit");
  const unsigned num_threads = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t n = arguments.quick ? 8192 : 131072, rounds = arguments.quick ? 3 : 15;
  check(num_threads);
  const ModelPtr model = make_random_model(config_for(n), 1);
  whole(report, model, num_threads, rounds);
  whole(report, model, 1, rounds);
  stages(report, n, rounds);
  std::printf("\nOpenBLAS: %s\n", openblas_core());
  report.write(arguments.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "limit: %s\n", error.what());
  return 1;
}
