// SPDX-License-Identifier: BSD-3-Clause
// The cuda engine by stages, against what the device reaches with nothing else to do: its copy rate and its
// rate of fused multiply-adds, measured in the same run. A share of 100 % is the floor of cuda/README.md.
//   bench_cuda [--quick] [--json FILE]
#include <cstdio>
#include <exception>

#include "attention/cost.h"
#include "attention/frame.h"
#include "bench/cuda/device_rates.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "cuda/engine/on_device.h"
#include "exec/cuda_description.h"
#include "exec/cuda_devices.h"
#include "pcl_attention/encoder.h"
#include "support/clouds.h"
#include "support/compare.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;

/// A network whose E is for n points.
ModelConfig network(std::size_t channels, std::size_t heads, std::size_t k, std::size_t n) {
  ModelConfig config = make_preset("linformer")->config();
  config.channels = channels;
  config.heads = heads;
  config.head_width = channels / heads;
  config.feed_forward = 2 * channels;
  config.projection.k = k;
  config.projection.length = std::min<std::size_t>(n, 16384);
  return config;
}

/// The steps of a frame in rank order, each waited for.
struct Steps {
  Steps(const ModelPtr& model, const test::FloatCloud& points)
      : config(model->config()), engine(cuda::make_engine(describe_network(*model), 0)) {
    frame.surface.n = frame.num_ranked = frame.num_answers = points.size();
    frame.surface.values = frame.surface.positions = points.values.data();
    frame.position_channels = {0, 1, 2};
    frame.length_policy = LengthPolicy::resample;
  }

  /// Returns the seconds of each step by name.
  std::vector<std::pair<std::string, double>> run() {
    std::vector<std::pair<std::string, double>> times;
    const auto step = [&](const std::string& name, const std::function<void()>& body) {
      times.emplace_back(name, time_call([&] {
                                 body();
                                 engine->wait();
                               }).wall);
    };
    step("stage on the host", [&] { stage(config, frame, engine->begin(describe_frame(config, frame))); });
    step("upload, embed", [&] { engine->embed(); });
    for (std::size_t layer = 0; layer < config.depth; ++layer) {
      const std::string name = "layer " + std::to_string(layer);
      step(name + " summarise", [&] { engine->summarise(layer); });
      const bool last = layer + 1 == config.depth;
      step(name + " answer", [&] { last ? engine->answer_wanted(layer) : engine->answer_surface(layer); });
    }
    step("download", [&] { engine->finish(); });
    return times;
  }

  ModelConfig config;
  std::unique_ptr<cuda::Engine> engine;
  Frame frame;
};

/// Returns medians by step, in sequence.
std::vector<std::pair<std::string, double>> medians(Steps& steps, std::size_t rounds) {
  std::vector<std::pair<std::string, double>> result = steps.run();  // warms up
  std::vector<std::vector<double>> times(result.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto run = steps.run();
    for (std::size_t i = 0; i < run.size(); ++i) times[i].push_back(run[i].second);
  }
  for (std::size_t i = 0; i < result.size(); ++i) result[i].second = median(times[i]);
  return result;
}

std::vector<Row> by_stage(const ModelPtr& model, const test::FloatCloud& points, const DeviceRates& rates,
                          std::size_t rounds) {
  const ModelConfig& config = model->config();
  const std::size_t n = points.size();
  Steps steps(model, points);
  std::vector<Row> rows;
  double layers = 0.0;
  for (const auto& [name, seconds] : medians(steps, rounds)) {
    rows.push_back({{"n", n}, {"C", config.channels}, {"stage", name}, {"ms", 1e3 * seconds}});
    if (name.rfind("layer", 0) == 0) layers += seconds;
  }
  double flops = 0.0, bytes = 0.0, floor = 0.0;
  for (std::size_t layer = 0; layer < config.depth; ++layer) {
    flops += layer_flops(config, layer, n);
    bytes += layer_bytes(config, layer, n);
    floor += std::max(layer_flops(config, layer, n) / rates.flops,
                      layer_bytes(config, layer, n) / rates.copied_bytes);
  }
  rows.push_back({{"n", n}, {"C", config.channels}, {"stage", "all layers"}, {"ms", 1e3 * layers}});
  std::printf("n %zu C %zu: %.3g flop/s, %.3g bytes/s, %.1f %% of the floor's rate\n", n, config.channels,
              flops / layers, bytes / layers, 100.0 * floor / layers);
  return rows;
}

/// The whole call, host and device, beside the CPU; nothing is timed that is wrong.
Row whole_call(const ModelPtr& model, const test::FloatCloud& points, std::size_t rounds) {
  EncodeInput input;
  input.surface = points.view();
  const std::size_t size = points.size() * model->config().output_width();
  std::vector<float> rows[2] = {std::vector<float>(size), std::vector<float>(size)};
  EncoderOptions options[2];
  options[0].device = Device::cuda;
  options[1].device = Device::cpu;
  Encoder cuda(model, options[0]), cpu(model, options[1]);
  const cuda::Stream stream(0);
  test::OnDevice cloud(input.surface.data, input.surface.size, stream.handle()),
      answers(rows[0].data(), size * sizeof(float), stream.handle());
  DeviceInput resident;
  resident.surface = input.surface;
  resident.surface.data = cloud.data();
  resident.stream = stream.handle();
  float* const device_rows = reinterpret_cast<float*>(answers.data());
  EncodeResult result;
  const auto samples = take_turns(rounds, {[&] { result = cuda.encode(input, rows[0].data()); },
                                           [&] { cuda.encode_on_device(resident, device_rows); },
                                           [&] { cpu.encode(input, rows[1].data()); }});
  require(test::relative_l2(rows[0], rows[1]) < 1e-5, "rows differ from the CPU's");
  require(test::relative_l2(answers.bring<float>(stream.handle()), rows[0]) < 1e-5, "resident rows differ");
  return {{"n", points.size()},
          {"C", model->config().channels},
          {"cuda ms", 1e3 * median(samples[0].wall)},
          {"gather ms", 1e3 * result.seconds.gather},
          {"order ms", 1e3 * result.seconds.order},
          {"encode ms", 1e3 * result.seconds.encode},
          {"resident ms", 1e3 * median(samples[1].wall)},
          {"cpu ms", 1e3 * median(samples[2].wall)}};
}

void run(const Arguments& arguments) {
  Report report("cuda");
  const DeviceRates rates = measure_device();
  report.table(cuda_device_name(0), {{{"copy GB/s", rates.copied_bytes / 1e9},
                                      {"float32 Tflop/s", rates.flops / 1e12},
                                      {"upload GB/s", rates.uploaded_bytes / 1e9},
                                      {"download GB/s", rates.downloaded_bytes / 1e9}}});
  const std::size_t rounds = arguments.quick ? 2 : 9;
  std::vector<Row> stages, calls;
  for (const std::size_t n : {std::size_t{16384}, std::size_t{131072}, std::size_t{1048576}}) {
    if (arguments.quick && n > 131072) continue;
    const test::FloatCloud points = test::random_cloud(n, 1, {"x", "y", "z"});
    for (const bool wide : {false, true}) {
      const ModelPtr model = make_random_model(wide ? network(256, 8, 256, n) : network(64, 4, 128, n), 1);
      const std::vector<Row> rows = by_stage(model, points, rates, rounds);
      stages.insert(stages.end(), rows.begin(), rows.end());
      if (!wide || n < 1000000) calls.push_back(whole_call(model, points, arguments.quick ? 1 : 3));
    }
  }
  report.table("steps, each waited for", stages);
  report.table("whole calls", calls);
  report.write(arguments.json);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments(argc, argv);
    const std::string fault = pcl_attention::cuda_fault(0);
    if (!fault.empty()) {
      std::printf("bench_cuda: skipped, %s\n", fault.c_str());
      return 0;
    }
    run(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cuda: %s\n", error.what());
    return 1;
  }
}
