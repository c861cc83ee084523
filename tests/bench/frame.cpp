// SPDX-License-Identifier: BSD-3-Clause
// A stream of scans: pcl::PointCloud in, descriptor cloud out, 200 frames.
//   bench_frame [--quick] [--json FILE] SCAN.pcd...
// Scans whose names differ in a number alone are one sensor's and take turns.
#include <pcl/io/pcd_io.h>
#include <pcl/point_types.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>

#include "bench/measure.h"
#include "bench/report.h"
#include "bench/resident.h"
#include "pcl_attention/pcl/attention_estimation.h"
#include "pcl_attention/pcl/attention_signature.h"
#include "support/compare.h"
#include "support/heap_use.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;

using Cloud = pcl::PointCloud<pcl::PointXYZ>;
using Descriptors = pcl::PointCloud<AttentionSignature<64>>;
using Estimation = AttentionEstimation<pcl::PointXYZ, AttentionSignature<64>>;

/// Scans by sensor: the name without folder and digits.
std::map<std::string, std::vector<Cloud::Ptr>> load(const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<Cloud::Ptr>> scans;
  for (const std::string& path : paths) {
    auto cloud = pcl::make_shared<Cloud>();
    require(pcl::io::loadPCDFile(path, *cloud) == 0, "cannot read " + path);
    std::string name = std::filesystem::path(path).stem().string();
    const std::size_t number = name.find_last_not_of("0123456789");
    scans[name.substr(0, number + 1)].push_back(cloud);
  }
  return scans;
}

std::vector<float> numbers(const Descriptors& descriptors) {
  std::vector<float> result;
  for (const auto& point : descriptors)
    if (std::isfinite(point.descriptor[0]))
      result.insert(result.end(), point.descriptor, point.descriptor + 64);
  return result;
}

void check(Estimation& estimation, const Cloud::Ptr& cloud) {
  std::vector<float> rows[2];
  for (const Device device : {Device::cpu, Device::reference}) {
    Descriptors output;
    estimation.setDevice(device);
    estimation.setInputCloud(cloud);
    estimation.compute(output);
    rows[device == Device::cpu ? 0 : 1] = numbers(output);
  }
  estimation.setDevice(Device::cpu);
  require(!rows[0].empty() && test::relative_l2(rows[0], rows[1]) < 1e-5, "rows differ from the reference");
}

/// Milliseconds of each part over all frames.
struct Parts {
  std::vector<double> gather, order, encode, scatter, rest, total, cpu;

  void add(const StageSeconds& stages, const Seconds& all) {
    gather.push_back(1e3 * stages.gather);
    order.push_back(1e3 * stages.order);
    encode.push_back(1e3 * stages.encode);
    scatter.push_back(1e3 * stages.scatter);
    total.push_back(1e3 * all.wall);
    rest.push_back(total.back() - gather.back() - order.back() - encode.back() - scatter.back());
    cpu.push_back(1e3 * all.cpu);
  }
};

Row summary(const std::string& name, const char* kind, const Parts& parts,
            const std::function<double(const std::vector<double>&)>& of) {
  const double total = of(parts.total), encode = of(parts.encode);
  return {{"scan", name},
          {"ms", kind},
          {"gather", of(parts.gather)},
          {"order", of(parts.order)},
          {"encode", encode},
          {"scatter", of(parts.scatter)},
          {"rest", of(parts.rest)},
          {"total", total},
          {"cpu", of(parts.cpu)},
          {"not_encode_percent", 100.0 * (1.0 - encode / total)}};
}

struct Stream {
  Parts parts;
  Row memory;
};

Stream run(const std::string& name, const std::vector<Cloud::Ptr>& scans, std::size_t frames) {
  Estimation estimation;
  estimation.setModel("preset:linformer");
  check(estimation, scans.front());
  estimation.setModel("preset:linformer");  // forgets what the check took
  Descriptors output;
  const ResidentPeak peak;
  Stream stream;
  std::size_t calls = 0, valid = 0;
  for (std::size_t frame = 0; frame < frames + scans.size(); ++frame) {
    const bool warm = frame >= scans.size();
    estimation.setInputCloud(scans[frame % scans.size()]);
    const std::size_t before = test::heap_use().calls;
    const Seconds seconds = time_call([&] { estimation.compute(output); });
    require(output.size() == scans[frame % scans.size()]->size(), "rows are missing");
    valid = estimation.getResult().num_valid;
    if (!warm) continue;
    calls += test::heap_use().calls - before;
    stream.parts.add(estimation.getResult().seconds, seconds);
  }
  const double points = static_cast<double>(scans.back()->size());
  stream.memory = {{"scan", name},
                   {"points", scans.back()->size()},
                   {"valid", valid},
                   {"peak_MiB_with_output", peak.bytes() / 1048576.0},
                   {"bytes_per_point", peak.bytes() / points},
                   {"allocations_per_frame", static_cast<double>(calls) / static_cast<double>(frames)}};
  return stream;
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv);
  Report report("frame");
  std::vector<Row> times, memory;
  for (const auto& [name, scans] : load(arguments.words)) {
    const Stream stream = run(name, scans, arguments.quick ? 3 : 200);
    times.push_back(summary(name, "median", stream.parts, median));
    times.push_back(summary(name, "worst", stream.parts, [](const std::vector<double>& samples) {
      return *std::max_element(samples.begin(), samples.end());
    }));
    memory.push_back(stream.memory);
  }
  report.table("preset linformer, milliseconds of a frame", times);
  report.table("memory", memory);
  report.write(arguments.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "frame: %s\n", error.what());
  return 1;
}
