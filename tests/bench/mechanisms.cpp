// SPDX-License-Identifier: BSD-3-Clause
// Every mechanism on the cpu engine: how far it depends on the order and on small changes of its points, and
// what it costs. The limit is that of bench_limit: least flops at the rate of sgemm plus exponentials.
//   bench_mechanisms [--quick] [--json FILE] [CLOUD.pcd...]
#include <pcl/io/pcd_io.h>
#include <pcl/point_types.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <thread>

#include "bench/machine.h"
#include "bench/report.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/equivariance.h"
#include "simd/kernels.h"
#include "support/clouds.h"
#include "support/compare.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;
using test::FloatCloud;

struct NamedCloud {
  std::string name;
  FloatCloud cloud;
};

NamedCloud load(const std::string& path) {
  pcl::PointCloud<pcl::PointXYZ> points;
  require(pcl::io::loadPCDFile(path, points) == 0, "cannot read " + path);
  NamedCloud named{std::filesystem::path(path).stem().string(), {{"x", "y", "z"}, {}}};
  for (const pcl::PointXYZ& point : points) {
    const bool finite = std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.z);
    if (finite && (point.x != 0.0F || point.y != 0.0F || point.z != 0.0F))
      named.cloud.values.insert(named.cloud.values.end(), {point.x, point.y, point.z});
  }
  return named;
}

/// Returns at most n points of the cloud, spread over its rows.
FloatCloud thinned(const FloatCloud& cloud, std::size_t n) {
  FloatCloud result{cloud.names, {}};
  const std::size_t size = std::min(n, cloud.size());
  for (std::size_t i = 0; i < size; ++i) {
    const float* row = cloud.row(i * cloud.size() / size);
    result.values.insert(result.values.end(), row, row + cloud.names.size());
  }
  return result;
}

/// Moves every coordinate by a normal number times 1e-3 of the cloud's radius.
FloatCloud jittered(FloatCloud cloud, unsigned seed) {
  std::vector<double> centre(3, 0.0);
  for (std::size_t i = 0; i < cloud.values.size(); ++i)
    centre[i % 3] += static_cast<double>(cloud.values[i]) / static_cast<double>(cloud.size());
  double radius = 0.0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    double squared = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      squared += std::pow(static_cast<double>(cloud.row(i)[axis]) - centre[axis], 2);
    radius = std::max(radius, std::sqrt(squared));
  }
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0.0, 1e-3 * radius);
  for (float& value : cloud.values) value += static_cast<float>(normal(generator));
  return cloud;
}

struct Call {
  Call(const ModelPtr& model, const FloatCloud& cloud, std::optional<Curve> order = {}) {
    EncoderOptions options;
    options.device = Device::cpu;
    options.order = order;
    encoder.emplace(model, options);
    rows.resize(cloud.size() * model->config().output_width());
    input.surface = cloud.view();
  }
  EncodeResult operator()() { return encoder->encode(input, rows.data()); }

  std::optional<Encoder> encoder;
  EncodeInput input;
  std::vector<float> rows;
};

/// Attention alone on unit-scaled x, y, z: no embedding, sinusoids, norms or feed-forward.
ModelPtr bare(const std::string& preset, std::uint64_t seed) {
  ModelConfig config = make_preset(preset)->config();
  config.embedding = Embedding::identity;
  config.position_encoding = PositionEncoding::none;
  config.channels = 3;
  config.norm = NormPlacement::none;
  config.feed_forward = 0;
  config.depth = 1;
  return make_random_model(config, seed);
}

/// Returns the root mean square over models and noises of the relative error.
double jitter_error(const std::string& preset, const FloatCloud& cloud, std::size_t repeats) {
  double squares = 0.0;
  for (unsigned seed = 1; seed <= repeats; ++seed) {
    const ModelPtr model = bare(preset, seed);
    const FloatCloud moved = jittered(cloud, seed);
    Call before(model, cloud), after(model, moved);
    before();
    after();
    squares += std::pow(test::relative_l2(after.rows, before.rows), 2);
  }
  return std::sqrt(squares / static_cast<double>(repeats));
}

double permutation_error(const ModelPtr& model, const FloatCloud& cloud, Curve order) {
  if (order == Curve::none && model->config().mechanism == Mechanism::anchored)
    return std::numeric_limits<double>::quiet_NaN();
  EncoderOptions options;
  options.device = Device::cpu;
  options.order = order;
  Encoder encoder(model, options);
  EquivarianceOptions few;
  few.num_permutations = 4;
  return evaluate_equivariance(cloud.view(), encoder, few).permutation.max_relative_l2;
}

/// Exponentials of a point in a layer: softmax over slots of every head in either direction, GELU.
double exponentials(const ModelConfig& config, std::size_t n) {
  const double heads = static_cast<double>(config.heads),
               rows = static_cast<double>(config.projected_rows(0, n));
  const double answers = heads * rows, gelu = static_cast<double>(config.feed_forward);
  if (config.mechanism == Mechanism::inducing || config.mechanism == Mechanism::anchored)
    return 2 * answers + gelu;
  if (config.mechanism != Mechanism::kernel) return answers + gelu;
  switch (config.kernel.similarity) {
    case Similarity::elu:
    case Similarity::favor:
      return 2 * answers + gelu;
    default:
      return gelu;
  }
}

Row measure(const std::string& name, const FloatCloud& scan, std::size_t rounds, Machine& machine) {
  const ModelPtr model = make_preset(name);
  const FloatCloud cloud = thinned(scan, name == "full" ? 16384 : 131072), small = thinned(scan, 8192);
  const std::size_t n = cloud.size();
  Call call(model, cloud);
  call();
  const ModelConfig& config = model->config();
  // A sine or cosine counts as an exponential.
  const double sinusoids = static_cast<double>(config.channels);
  const double work = exponentials(config, n) * static_cast<double>(config.depth) + sinusoids;
  std::vector<double> encode, frame, of_limit;
  for (std::size_t round = 0; round < rounds; ++round) {
    Rates rates, processor;  // of this round: the machine changes its speed
    machine.measure(rates, processor);
    EncodeResult result;
    frame.push_back(time_call([&] { result = call(); }).wall);
    encode.push_back(result.seconds.encode);
    const double limit = rates.seconds(call.encoder->flop_estimate(n), work * static_cast<double>(n));
    of_limit.push_back(limit / result.seconds.encode);
  }
  return {{"mechanism", name},
          {"permutation_none", permutation_error(model, small, Curve::none)},
          {"permutation_morton", permutation_error(model, small, Curve::morton)},
          {"n", n},
          {"frame_ms", 1e3 * median(frame)},
          {"encode_ms", 1e3 * median(encode)},
          {"of_limit", median(of_limit)},
          {"estimated_bytes_per_point",
           static_cast<double>(call.encoder->memory_estimate(n)) / static_cast<double>(n)}};
}

void check(const std::string& name, const FloatCloud& cloud) {
  const ModelPtr model = make_preset(name);
  std::vector<float> rows[2];
  for (const Device device : {Device::cpu, Device::reference}) {
    EncoderOptions options;
    options.device = device;
    Encoder encoder(model, options);
    EncodeInput input;
    input.surface = cloud.view();
    auto& of = rows[device == Device::cpu ? 0 : 1];
    of.resize(cloud.size() * model->config().output_width());
    encoder.encode(input, of.data());
  }
  require(test::relative_l2(rows[0], rows[1]) < 1e-4, name + " differs from the reference");
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv);
  choose_openblas(simd::target_name(), argv);
  std::vector<NamedCloud> clouds;
  for (const std::string& path : arguments.words) clouds.push_back(load(path));
  if (clouds.empty()) clouds.push_back({"random", test::random_cloud(131072, 1)});
  const std::size_t size = arguments.quick ? 4096 : 131072;
  Report report("mechanisms");
  Machine machine(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), 2048);
  std::vector<Row> costs;
  for (const std::string& name : preset_names()) {
    check(name, thinned(clouds[0].cloud, 2000));
    costs.push_back(measure(name, thinned(clouds[0].cloud, size), arguments.quick ? 2 : 11, machine));
  }
  report.table("preset on " + clouds[0].name, costs);
  for (const NamedCloud& named : clouds) {
    const FloatCloud cloud = thinned(named.cloud, arguments.quick ? 1024 : 16384);
    std::vector<Row> rows;
    const std::size_t repeats = arguments.quick ? 2 : 8;
    const double learned = jitter_error("linformer", cloud, repeats);
    for (const std::string& name : preset_names()) {
      const double error = jitter_error(name, cloud, repeats);
      rows.push_back({{"mechanism", name}, {"jitter_1e-3", error}, {"below_learned", learned / error}});
    }
    report.table("attention alone, " + named.name + ", n = " + std::to_string(cloud.size()), rows);
  }
  report.write(arguments.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "mechanisms: %s\n", error.what());
  return 1;
}
