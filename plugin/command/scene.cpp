// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "cloud_file.h"
#include "indoor_scene.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

CloudFile to_cloud(const IndoorScene& scene) {
  CloudFile file;
  pcl::PCLPointCloud2& cloud = file.cloud;
  for (const char* name : {"x", "y", "z", "intensity"}) {
    pcl::PCLPointField field;
    field.name = name;
    field.offset = cloud.point_step;
    field.datatype = pcl::PCLPointField::FLOAT32;
    field.count = 1;
    cloud.fields.push_back(field);
    cloud.point_step += static_cast<pcl::uindex_t>(sizeof(float));
  }
  cloud.width = static_cast<pcl::uindex_t>(scene.width);
  cloud.height = static_cast<pcl::uindex_t>(scene.height);
  cloud.row_step = cloud.width * cloud.point_step;
  cloud.data.resize(scene.points.size() * sizeof(ScenePoint));
  if (!scene.points.empty()) std::memcpy(cloud.data.data(), scene.points.data(), cloud.data.size());
  file.viewpoint = {scene.sensor[0], scene.sensor[1], scene.sensor[2], 1, 0, 0, 0};
  return file;
}

int run(const SceneOptions& options, const std::string& out) {
  const IndoorScene scene = make_indoor_scene(options);
  write_cloud(to_cloud(scene), out);
  std::size_t returns = 0;
  for (const ScenePoint& point : scene.points) returns += std::isfinite(point.x) ? 1 : 0;
  std::printf("scene: %zu points (%zu x %zu), %zu returns, %zu of them from dust, seed %llu\n",
              scene.points.size(), scene.width, scene.height, returns, scene.num_stray,
              static_cast<unsigned long long>(options.seed));
  return 0;
}

}  // namespace

void add_scene(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("scene", "make a small indoor scene to try things on");
  const auto options = std::make_shared<SceneOptions>();
  const auto out = std::make_shared<std::string>();
  verb->add_option("OUT", *out, "x y z intensity in metres (.pcd .ply)")->required();
  verb->add_option("--seed", options->seed, "moves furniture, noise and missing returns")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--points", options->num_points, "rays of the sensor, with or without a return")
      ->check(CLI::NonNegativeNumber)
      ->check(CLI::Range(std::size_t{0}, std::size_t{100000000}))
      ->capture_default_str();
  verb->add_option("--stray", options->stray, "share of the returns that come from dust in the air")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  verb->add_flag("--organised", options->organised, "keep the sensor's rows and columns");
  verb->footer("Example:\n  pcl_attention scene room.pcd --seed 3 --points 6000");
  verbs.push_back({verb, [options, out] { return run(*options, *out); }});
}

}  // namespace pcl_attention::command
