// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "attention/stopwatch.h"
#include "cloud_fields.h"
#include "kept_points.h"
#include "pcl_attention/neighbourhood.h"
#include "pcl_attention/outlier_model.h"
#include "pcl_attention/outliers.h"
#include "pcl_attention/pcl/cloud_view.h"
#include "progress.h"
#include "shared_options.h"
#include "stage_times.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct CleanOptions {
  SharedOptions shared;
  KeptOptions kept;
  std::optional<double> threshold;
  std::string probability_field;
};

ModelPtr model_of(const SharedOptions& options) {
  const bool has_origin = !options.sensor_origin.empty();
  const ModelPtr model =
      options.model.empty() ? shipped_outlier_model(has_origin) : open_model(options.model);
  check_outlier_model(*model);
  if (!has_origin && needs_sensor_origin(model->config().input))
    throw std::invalid_argument("model " + model->config().name +
                                " reads angle of view or range: give --sensor-origin X,Y,Z");
  return model;
}

std::vector<float> probabilities_of(const CloudView& cloud, Encoder& encoder, StageTimes& times) {
  Progress progress(encoder, cloud.num_points(), 1);
  EncodeControls controls;
  controls.progress = progress.callback();
  EncodeInput input;
  input.surface = cloud;
  std::vector<float> probabilities(cloud.num_points());
  times.add(outlier_probabilities(encoder, input, probabilities.data(), controls).seconds);
  return probabilities;
}

// The points without those at or above the threshold.
KeptPoints choose(const std::vector<float>& probabilities, double threshold, bool negative) {
  return split_points(probabilities, find_outliers(probabilities, threshold), !negative);
}

void add_probabilities(const std::string& name, const std::vector<float>& probabilities,
                       pcl::PCLPointCloud2& cloud) {
  if (!name.empty()) append_field(cloud, name, 1, probabilities.data());
}

void check_new_field(const std::string& name, const pcl::PCLPointCloud2& cloud) {
  for (const pcl::PCLPointField& field : cloud.fields)
    if (field.name == name)
      throw std::invalid_argument("--probability-field: the cloud has a field '" + name + "' already");
}

void report(const KeptPoints& points, double threshold, const Encoder& encoder, const StageTimes& times,
            const CleanOptions& options) {
  const Model& model = encoder.model();
  const std::size_t invalid = points.size() - points.valid;
  const std::size_t outliers = options.kept.negative ? points.kept.size() : points.valid - points.kept.size();
  const nlohmann::json json{{"input", options.kept.in},
                            {"output", options.kept.out},
                            {"removed_output", options.kept.removed},
                            {"points", points.size()},
                            {"valid_points", points.valid},
                            {"invalid_points", invalid},
                            {"outliers", outliers},
                            {"kept", points.kept.size()},
                            {"removed", points.removed.size()},
                            {"threshold", threshold},
                            {"probability_field", options.probability_field},
                            {"engine", encoder.engine()},
                            {"model", model.config().name},
                            {"model_hash", model.hash()},
                            {"random_weights", model.config().random_weights},
                            {"seconds", times.to_json()}};
  write_json(options.shared, json.dump(2));
  std::printf(
      "clean: %zu points, %zu kept, %zu removed; %zu outliers, probability at or above %g, and %zu invalid; "
      "engine %s, model %s %s, %s\n",
      points.size(), points.kept.size(), points.removed.size(), outliers, threshold, invalid,
      encoder.engine().c_str(), model.config().name.c_str(), model.hash().c_str(), times.to_text().c_str());
  if (model.config().random_weights)
    std::puts("random weights: for order tests and timing, not for matching");
}

int run(const CleanOptions& options) {
  if (options.threshold) check_outlier_threshold(*options.threshold);
  check_kept_outputs(options.kept);
  check_writable({options.shared.json});
  Encoder encoder(model_of(options.shared), encoder_options(options.shared));
  const double threshold = options.threshold.value_or(outlier_threshold(encoder.model()));
  StageTimes times;
  Stopwatch watch;
  CloudFile file = read_cloud(options.kept.in);
  check_new_field(options.probability_field, file.cloud);
  times.read = watch.lap();
  const std::vector<float> probabilities = probabilities_of(view_of(file.cloud), encoder, times);
  watch.lap();
  const KeptPoints points = choose(probabilities, threshold, options.kept.negative);
  add_probabilities(options.probability_field, probabilities, file.cloud);
  write_kept(file, points, options.kept);
  times.write = watch.lap();
  report(points, threshold, encoder, times, options);
  return 0;
}

}  // namespace

void add_clean(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb =
      app.add_subcommand("clean", "the cloud without isolated returns, rain, snow, dust and mixed pixels");
  const auto options = std::make_shared<CleanOptions>();
  add_kept_options(*verb, options->kept, "the outliers");
  verb->add_option("--threshold", options->threshold,
                   "probability from which on a point is an outlier, 0 to 1; default: the model's");
  verb->add_option("--probability-field", options->probability_field,
                   "write each point's probability into a new float field of this name")
      ->type_name("NAME")
      ->check(CLI::Validator(check_field_name, ""));
  options->shared.model.clear();
  verb->add_option("--model", options->shared.model,
                   "a .safetensors file that gives a number per point; default: the trained model of the "
                   "library, with --sensor-origin the one that reads angle of view and range, too")
      ->type_name("FILE");
  add_sensor_option(*verb, options->shared);
  add_device_option(*verb, options->shared);
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Example: a scan whose sensor stood at its origin, the outliers as a cloud of their own\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention clean room.pcd room_clean.pcd --sensor-origin 0,0,0 --removed room_outliers.pcd");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
