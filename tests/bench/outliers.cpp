// SPDX-License-Identifier: BSD-3-Clause
// Outlier filters on a scan: AttentionOutlierRemoval by stage beside PCL's, taking turns.
//   bench_outliers [--quick] [--json FILE] SCAN.pcd...
#include <pcl/filters/filter.h>
#include <pcl/filters/radius_outlier_removal.h>
#include <pcl/filters/statistical_outlier_removal.h>
#include <pcl/io/pcd_io.h>
#include <pcl/point_types.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "bench/measure.h"
#include "bench/report.h"
#include "pcl_attention/pcl/attention_outlier_removal.h"

namespace {

using namespace pcl_attention;
using namespace pcl_attention::bench;

using Cloud = pcl::PointCloud<pcl::PointXYZ>;
using Removal = AttentionOutlierRemoval<pcl::PointXYZ>;

Cloud::Ptr load(const std::string& path) {
  auto cloud = pcl::make_shared<Cloud>();
  require(pcl::io::loadPCDFile(path, *cloud) == 0, "cannot read " + path);
  return cloud;
}

/// The points with a place: PCL's filters count on the others being marked by is_dense.
Cloud::Ptr valid_points(const Cloud& cloud) {
  auto valid = pcl::make_shared<Cloud>();
  pcl::Indices unused;
  pcl::removeNaNFromPointCloud(cloud, *valid, unused);
  return valid;
}

/// Fast and reference engines leave out the same points but for those next to the threshold.
void check(const Cloud::Ptr& cloud, bool sensor_origin) {
  std::vector<float> probabilities[2];
  for (const Device device : {Device::cpu, Device::reference}) {
    Removal removal;
    if (sensor_origin) removal.setSensorOrigin({0.0, 0.0, 0.0});
    removal.setDevice(device);
    removal.setInputCloud(cloud);
    pcl::Indices kept;
    removal.filter(kept);
    require(removal.getLastError().empty(), removal.getLastError());
    probabilities[device == Device::cpu ? 0 : 1] = removal.getProbabilities();
  }
  for (std::size_t i = 0; i < cloud->size(); ++i)
    require(std::abs(probabilities[0][i] - probabilities[1][i]) < 1e-3F || !pcl::isFinite((*cloud)[i]),
            "probabilities differ from the reference");
}

/// Milliseconds of the stages over all rounds.
struct Stages {
  std::vector<double> gather, order, neighbourhood, encode, scatter;

  void add(const StageSeconds& seconds) {
    gather.push_back(1e3 * seconds.gather);
    order.push_back(1e3 * seconds.order);
    neighbourhood.push_back(1e3 * seconds.neighbourhood);
    encode.push_back(1e3 * seconds.encode);
    scatter.push_back(1e3 * seconds.scatter);
  }
};

struct Contestant {
  std::string name;
  std::function<void()> run;
  Cloud output;
  Stages stages;  // of ours
};

void add_ours(const Cloud::Ptr& cloud, bool sensor_origin, std::vector<Contestant>& contestants,
              Removal& removal) {
  if (sensor_origin) removal.setSensorOrigin({0.0, 0.0, 0.0});
  removal.setInputCloud(cloud);
  Contestant& one = contestants.emplace_back();
  one.name = sensor_origin ? "attention, sensor origin" : "attention";
  one.run = [&removal, &one] {
    removal.filter(one.output);
    one.stages.add(removal.getResult().seconds);
  };
}

template <class Filter>
void add_theirs(const char* name, const Cloud::Ptr& cloud, std::vector<Contestant>& contestants,
                Filter& filter) {
  filter.setInputCloud(cloud);
  Contestant& one = contestants.emplace_back();
  one.name = name;
  one.run = [&filter, &one] { filter.filter(one.output); };
}

Row row_of(const std::string& scan, const Contestant& one, const Samples& samples) {
  Row row{{"scan", scan},
          {"filter", one.name},
          {"kept", one.output.size()},
          {"median_ms", 1e3 * median(samples.wall)},
          {"worst_ms", 1e3 * samples.worst()},
          {"cpu_ms", 1e3 * median(samples.cpu)}};
  const std::vector<std::pair<const char*, const std::vector<double>*>> parts{
      {"gather", &one.stages.gather},
      {"order", &one.stages.order},
      {"neighbourhood", &one.stages.neighbourhood},
      {"encode", &one.stages.encode},
      {"scatter", &one.stages.scatter}};
  for (const auto& [name, samples_of_stage] : parts)
    row[name] = samples_of_stage->empty() ? Row("-") : Row(median(*samples_of_stage));
  return row;
}

void measure(const std::string& path, std::size_t rounds, std::vector<Row>& rows) {
  const Cloud::Ptr cloud = load(path), valid = valid_points(*cloud);
  std::vector<Contestant> contestants;
  contestants.reserve(4);
  Removal ours[2];
  for (const bool sensor_origin : {false, true}) {
    check(cloud, sensor_origin);
    add_ours(cloud, sensor_origin, contestants, ours[sensor_origin ? 1 : 0]);
  }
  pcl::StatisticalOutlierRemoval<pcl::PointXYZ> statistical;
  statistical.setMeanK(50);
  statistical.setStddevMulThresh(1.0);
  add_theirs("StatisticalOutlierRemoval, mean_k 50, 1", valid, contestants, statistical);
  pcl::RadiusOutlierRemoval<pcl::PointXYZ> radius;
  radius.setRadiusSearch(0.5);
  radius.setMinNeighborsInRadius(5);
  add_theirs("RadiusOutlierRemoval, 0.5, 5", valid, contestants, radius);

  std::vector<std::function<void()>> runs;
  for (const Contestant& one : contestants) runs.push_back(one.run);
  const std::vector<Samples> samples = take_turns(rounds, runs);
  const std::string scan = std::filesystem::path(path).stem().string();
  for (std::size_t i = 0; i < contestants.size(); ++i)
    rows.push_back(row_of(scan, contestants[i], samples[i]));
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv);
  Report report("outliers");
  std::vector<Row> rows;
  for (const std::string& path : arguments.words) measure(path, arguments.quick ? 1 : 15, rows);
  report.table("outlier filters, milliseconds of a scan, medians; PCL's get the valid points alone", rows);
  report.write(arguments.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "outliers: %s\n", error.what());
  return 1;
}
