// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "attention/stopwatch.h"
#include "cloud_fields.h"
#include "coordinate_note.h"
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

// What came out.
struct Summary {
  double threshold = 0.0;
  std::size_t outliers = 0;
  KeptPoints points;
  StageTimes times;
  std::string note;

  std::size_t invalid() const { return points.size() - points.valid; }
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
  const EncodeControls controls = progress.controls();
  EncodeInput input;
  input.surface = cloud;
  std::vector<float> probabilities(cloud.num_points());
  times.add(outlier_probabilities(encoder, input, probabilities.data(), controls).seconds);
  return probabilities;
}

void check_new_field(const std::string& name, const pcl::PCLPointCloud2& cloud) {
  for (const pcl::PCLPointField& field : cloud.fields)
    if (field.name == name)
      throw std::invalid_argument("--probability-field: the cloud has a field '" + name + "' already");
}

nlohmann::json to_json(const Summary& s, const Encoder& encoder, const CleanOptions& options) {
  const Model& model = encoder.model();
  return {{"input", options.kept.in},
          {"output", options.kept.out},
          {"removed_output", options.kept.removed},
          {"points", s.points.size()},
          {"valid_points", s.points.valid},
          {"invalid_points", s.invalid()},
          {"outliers", s.outliers},
          {"kept", s.points.kept.size()},
          {"removed", s.points.removed.size()},
          {"threshold", s.threshold},
          {"probability_field", options.probability_field},
          {"engine", encoder.engine()},
          {"model", model.config().name},
          {"model_hash", model.hash()},
          {"random_weights", model.config().random_weights},
          {"note", s.note},
          {"seconds", s.times.to_json()}};
}

void print(const Summary& s, const Encoder& encoder) {
  const Model& model = encoder.model();
  std::printf(
      "clean: %zu points, %zu kept, %zu removed; %zu outliers, probability at or above %g, and %zu invalid; "
      "engine %s, model %s %s, %s\n",
      s.points.size(), s.points.kept.size(), s.points.removed.size(), s.outliers, s.threshold, s.invalid(),
      encoder.engine().c_str(), model.config().name.c_str(), model.hash().c_str(), s.times.to_text().c_str());
  if (model.config().random_weights)
    std::puts("random weights: for order tests and timing, not for matching");
  if (!s.note.empty()) std::puts(s.note.c_str());
}

int run(const CleanOptions& options) {
  if (options.threshold) check_outlier_threshold(*options.threshold);
  check_kept_outputs(options.kept);
  check_writable({options.shared.json});
  Encoder encoder(model_of(options.shared), encoder_options(options.shared));
  Summary summary;
  summary.threshold = options.threshold.value_or(outlier_threshold(encoder.model()));
  Stopwatch watch;
  CloudFile file = read_cloud(options.kept.in);
  check_new_field(options.probability_field, file.cloud);
  summary.times.read = watch.lap();
  const std::vector<float> probabilities = probabilities_of(view_of(file.cloud), encoder, summary.times);
  summary.note = coordinate_note(view_of(file.cloud), field_names(options.shared));
  watch.lap();
  const std::vector<std::uint8_t> outliers = find_outliers(probabilities, summary.threshold);
  summary.outliers = static_cast<std::size_t>(std::count(outliers.begin(), outliers.end(), 1));
  summary.points = split_points(probabilities, outliers, !options.kept.negative);  // the others are kept
  if (!options.probability_field.empty())
    append_field(file.cloud, options.probability_field, 1, probabilities.data());
  write_kept(file, summary.points, options.kept);
  summary.times.write = watch.lap();
  write_json(options.shared, to_json(summary, encoder, options).dump(2));
  print(summary, encoder);
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
      "Example: a room with dust, seen from a known place; the outliers as a cloud of their own\n"
      "  pcl_attention scene room.pcd --stray 0.02\n"
      "  pcl_attention clean room.pcd room_clean.pcd --sensor-origin 0.5,0.6,1.6 --removed "
      "room_outliers.pcd");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
