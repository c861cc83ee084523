// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/equivariance.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include "cloud_fields.h"
#include "equivariance_options.h"
#include "files/whole_file.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"
#include "pcl_attention/report_document.h"
#include "point_source.h"
#include "progress.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

/// Returns one number per point of the file; NaN for points that were not measured.
std::vector<float> per_point(const SensitivityReport& report, const std::vector<double>& errors) {
  if (report.sample.empty()) return {errors.begin(), errors.end()};
  std::vector<float> result(report.cloud_points, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < errors.size(); ++i) result[report.sample[i]] = static_cast<float>(errors[i]);
  return result;
}

void append_errors(CloudFile& file, const SensitivityReport& report, const std::string& suffix) {
  const std::vector<double>& permutations = report.equivariance.point_error;
  if (report.equivariance.permutation.count != 0)
    append_field(file.cloud, "equivariance_error" + suffix, 1, per_point(report, permutations).data());
  if (!report.jitter_error.empty())
    append_field(file.cloud, "jitter_error" + suffix, 1, per_point(report, report.jitter_error).data());
}

/// Fields of several reports end in _0, _1, ….
void write_error_cloud(CloudFile file, const ReportDocument& document, const std::string& path) {
  for (std::size_t i = 0; i < document.reports.size(); ++i)
    append_errors(file, document.reports[i], document.reports.size() == 1 ? "" : "_" + std::to_string(i));
  write_cloud(file, path);
}

SensitivityReport measure(const EquivarianceVerbOptions& options, const Contestant& contestant,
                          SensitivityOptions what) {
  const bool rows = is_rows_file(options.in);
  const ModelPtr asked = open_model(contestant.model, options.shared.seed);
  const ModelPtr model = rows ? model_of_rows(asked) : asked;
  const PointSource points = read_points(options.in, model->config().input);
  if (points.clouds.size() != 1) throw FileError(options.in + ": expected one cloud, came a batch");
  SharedOptions shared = options.shared;
  shared.ordering = contestant.ordering;
  Encoder encoder(model, encoder_options(shared));
  std::size_t measured = points.clouds[0].num_points();
  if (what.max_points != 0) measured = std::min(measured, what.max_points);
  Progress progress(encoder, measured, number_of_calls(what));
  what.progress = progress.callback();
  return measure_sensitivity(points.clouds[0], encoder, what);
}

/// Measures the jitter of smooth mechanisms, to be seen beside the others, but for those that are among them.
void add_smooth(const EquivarianceVerbOptions& options, SensitivityOptions what, ReportDocument& document) {
  const auto groups = what.groups;
  if (options.html.empty() || is_rows_file(options.in) ||
      std::find(groups.begin(), groups.end(), ChangeGroup::jitter) == groups.end())
    return;
  what.groups = {ChangeGroup::jitter};
  what.floor = what.layers = false;
  for (const std::string preset : {"preset:position", "preset:kernel-elu"}) {
    const bool shown = std::any_of(document.reports.begin(), document.reports.end(),
                                   [&](const auto& report) { return report.equivariance.model == preset; });
    if (!shown) document.smooth.push_back(measure(options, {preset, "model"}, what));
  }
}

int exceeded(const EquivarianceVerbOptions& options, const ReportDocument& document) {
  int code = 0;
  const auto limits = tolerances(options);
  for (const SensitivityReport& report : document.reports) {
    for (const ChangeError& change : report.changes) {
      const auto limit = limits.find(to_string(change.group));
      const double error = change.error.max_relative_l2;
      if (limit == limits.end() || error <= limit->second) continue;
      std::fprintf(stderr, "pcl_attention: %s, %s: largest relative L2 %g exceeds the tolerance %g\n",
                   report.equivariance.model.c_str(), change.name.c_str(), error, limit->second);
      code = 1;
    }
  }
  return code;
}

int run(const EquivarianceVerbOptions& options) {
  const bool rows = is_rows_file(options.in);
  if (!options.cloud.empty()) {
    check_cloud_output(options.cloud);
    if (rows) throw FileError(options.cloud + ": --cloud needs a cloud as input, came .npy rows");
  }
  check_writable({options.cloud, options.html, options.shared.json});
  const SensitivityOptions what = sensitivity_options(options);
  ReportDocument document;
  document.cloud = options.in.substr(options.in.find_last_of('/') + 1);
  document.command = options.command;
  bool random = false;
  for (const Contestant& contestant : contestants(options)) {
    document.reports.push_back(measure(options, contestant, what));
    random = random || document.reports.back().random_weights;
  }
  add_smooth(options, what, document);
  if (!options.cloud.empty()) write_error_cloud(read_cloud(options.in), document, options.cloud);
  write_json(options.shared, to_json(document));
  if (!options.html.empty())
    write_whole_stream(options.html, [&](std::ostream& out) { out << to_html(document); });
  std::fputs(to_table(document).c_str(), stdout);
  if (random) std::puts("random weights: for order tests and timing, not for matching");
  return exceeded(options, document);
}

}  // namespace

void add_equivariance(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand(
      "equivariance", "how far the features depend on the order of the points, and on small changes");
  const auto options = std::make_shared<EquivarianceVerbOptions>();
  add_equivariance_options(*verb, *options);
  add_model_options(*verb, options->shared);
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Example: points as they come against a canonical order\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention equivariance room.pcd --model preset:linformer --ordering none\n"
      "  pcl_attention equivariance room.pcd --model preset:linformer --ordering morton --tolerance 0\n"
      "  pcl_attention equivariance room.pcd --compare "
      "preset:linformer@none,preset:linformer,preset:position "
      "--html room.html");
  verbs.push_back({verb, [options, verb] {
                     options->command = command_line(*verb);
                     return run(*options);
                   }});
}

}  // namespace pcl_attention::command
