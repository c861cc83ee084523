// SPDX-License-Identifier: BSD-3-Clause
// Prints how much memory encoding n random rows takes beside the model, its input and its output.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <string>

#include "pcl_attention/encoder.h"

namespace {

using namespace pcl_attention;

/// Returns a line of /proc/self/status in bytes: VmRSS now, VmHWM the largest so far.
double memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name + ":") {
      double kilobytes = 0.0;
      status >> kilobytes;
      return 1024.0 * kilobytes;
    }
  return 0.0;
}

void measure(const std::string& path, std::size_t n, Device device) {
  EncoderOptions options;
  options.device = device;
  Encoder encoder(load_model(path), options);
  const ModelConfig& config = encoder.model().config();
  const std::size_t width = config.input.num_channels();
  std::vector<float> values(n * width), rows(n * config.output_width());
  std::mt19937 generator(1);
  for (float& value : values) value = static_cast<float>(generator() >> 8) / 8388608.0F - 1.0F;
  CloudView cloud;
  cloud.data = reinterpret_cast<const std::byte*>(values.data());
  cloud.size = values.size() * sizeof(float);
  cloud.width = n;
  cloud.point_step = width * sizeof(float);
  cloud.fields = {{config.input.fields[0].name, FieldType::float32, 0, width}};
  EncodeInput input;
  input.surface = cloud;

  std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts again
  const double before = memory("VmRSS");
  const auto start = std::chrono::steady_clock::now();
  encoder.encode(input, rows.data());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("{\"engine\": \"%s\", \"bytes\": %.0f, \"estimate\": %zu, \"seconds\": %.3f}\n",
              encoder.engine().c_str(), memory("VmHWM") - before, encoder.memory_estimate(n),
              seconds.count());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "use: bench_peak_memory MODEL.safetensors N auto|reference\n");
    return 2;
  }
  try {
    measure(argv[1], std::strtoul(argv[2], nullptr, 10),
            std::string(argv[3]) == "reference" ? Device::reference : Device::automatic);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_peak_memory: %s\n", error.what());
    return 2;
  }
}
