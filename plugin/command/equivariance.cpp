// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/equivariance.h"

#include <cstdio>
#include <memory>

#include "cloud_fields.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"
#include "point_source.h"
#include "progress.h"
#include "shared_options.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct EquivarianceVerbOptions {
  SharedOptions shared;
  std::string in, cloud;
  std::size_t permutations = 8;
  double tolerance = -1.0;  // negative: none
};

void write_error_cloud(CloudFile file, const EquivarianceReport& report, const std::string& path) {
  const std::vector<float> error(report.point_error.begin(), report.point_error.end());
  append_field(file.cloud, "equivariance_error", 1, error.data());
  write_cloud(file, path);
}

EquivarianceReport evaluate(const EquivarianceVerbOptions& options, const PointSource& points,
                            const ModelPtr& model) {
  Encoder encoder(model, encoder_options(options.shared));
  Progress progress(encoder, points.clouds[0].num_points(), options.permutations + 1);
  EquivarianceOptions evaluation;
  evaluation.num_permutations = options.permutations;
  evaluation.seed = options.shared.seed;
  evaluation.progress = progress.callback();
  return evaluate_equivariance(points.clouds[0], encoder, evaluation);
}

int run(const EquivarianceVerbOptions& options) {
  const bool rows = is_rows_file(options.in);
  if (!options.cloud.empty()) {
    check_cloud_output(options.cloud);
    if (rows) throw FileError(options.cloud + ": --cloud needs a cloud as input, came .npy rows");
  }
  const ModelPtr asked = open_model(options.shared.model, options.shared.seed);
  const ModelPtr model = rows ? model_of_rows(asked) : asked;
  const PointSource points = read_points(options.in, model->config().input);
  if (points.clouds.size() != 1) throw FileError(options.in + ": expected one cloud, came a batch");
  const EquivarianceReport report = evaluate(options, points, model);
  if (!options.cloud.empty()) write_error_cloud(*points.file, report, options.cloud);
  write_json(options.shared, to_json(report));
  std::fputs(to_table(report).c_str(), stdout);
  if (model->config().random_weights)
    std::puts("random weights: for order tests and timing, not for matching");
  const double error = report.permutation.max_relative_l2;
  if (options.tolerance < 0.0 || error <= options.tolerance) return 0;
  std::fprintf(stderr, "pcl_attention: largest relative L2 %g exceeds the tolerance %g\n", error,
               options.tolerance);
  return 1;
}

}  // namespace

void add_equivariance(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb =
      app.add_subcommand("equivariance", "how far the features depend on the order of the points");
  const auto options = std::make_shared<EquivarianceVerbOptions>();
  verb->add_option("IN", options->in, "cloud (.pcd .ply .bin), or .npy rows [n,d]")->required();
  verb->add_option("--permutations", options->permutations,
                   "how many: reversed, one swap, ends exchanged, a rotation, then random ones")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str();
  verb->add_option("--cloud", options->cloud, "write the cloud with a field `equivariance_error` (.pcd .ply)")
      ->type_name("FILE");
  verb->add_option("--tolerance", options->tolerance, "exit with 1 if the largest relative L2 is above")
      ->check(CLI::NonNegativeNumber);
  add_model_options(*verb, options->shared);
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Example: points as they come against a canonical order\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention equivariance room.pcd --model preset:linformer --ordering none\n"
      "  pcl_attention equivariance room.pcd --model preset:linformer --ordering morton --tolerance 0");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
