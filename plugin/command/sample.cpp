// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "kept_points.h"
#include "pcl_attention/heads.h"
#include "pcl_attention/pcl/cloud_view.h"
#include "pcl_attention/ranking.h"
#include "pcl_attention/received.h"
#include "pcl_attention/selection.h"
#include "progress.h"
#include "shared_options.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct SampleOptions {
  SharedOptions shared;
  KeptOptions kept;
  Selection selection;
};

std::vector<double> received(const CloudView& cloud, const ModelPtr& model, EncoderOptions encoding) {
  encoding.device = Device::reference;
  Progress progress(Encoder(model, encoding), cloud.num_points(), 1);
  const EncodeControls controls = progress.controls();
  EncodeInput input;
  input.surface = cloud;
  AttentionHeads heads(model, encoding);
  return attention_received(heads, input, controls);
}

KeptPoints choose(const CloudView& cloud, const std::vector<double>& attention,
                  const SampleOptions& options) {
  RankingOptions ranking;
  ranking.field_names = field_names(options.shared);
  ranking.zero_is_invalid = options.shared.zero_returns == "invalid";
  ranking.num_threads = options.shared.threads;
  const auto chosen = select_points(attention, ranked_points(cloud, ranking), options.selection);
  return split_points(attention, chosen, options.kept.negative);
}

void report(const KeptPoints& points, const Model& model, const SampleOptions& options) {
  const ModelConfig& config = model.config();
  const nlohmann::json json{{"input", options.kept.in},
                            {"output", options.kept.out},
                            {"removed_output", options.kept.removed},
                            {"points", points.size()},
                            {"valid_points", points.valid},
                            {"kept", points.kept.size()},
                            {"removed", points.removed.size()},
                            {"engine", "reference"},
                            {"model", config.name},
                            {"model_hash", model.hash()},
                            {"random_weights", config.random_weights}};
  write_json(options.shared, json.dump(2));
  std::printf("sample: %zu points, %zu valid, %zu kept, %zu removed, engine reference, model %s %s\n",
              points.size(), points.valid, points.kept.size(), points.removed.size(), config.name.c_str(),
              model.hash().c_str());
  if (config.random_weights) std::puts("random weights: for order tests and timing, not for matching");
}

int run(const SampleOptions& options) {
  options.selection.check();
  check_kept_outputs(options.kept);
  check_writable({options.shared.json});
  const ModelPtr model = open_model(options.shared.model, options.shared.seed);
  const CloudFile file = read_cloud(options.kept.in);
  const CloudView cloud = view_of(file.cloud);
  const KeptPoints points = choose(cloud, received(cloud, model, encoder_options(options.shared)), options);
  write_kept(file, points, options.kept);
  report(points, *model, options);
  return 0;
}

void add_selection(CLI::App& verb, Selection& selection) {
  const auto set = [&selection](SelectionKind kind) {
    return [&selection, kind](const std::string&) { selection.kind = kind; };
  };
  CLI::Option* const count = verb.add_option("--count", selection.count, "keep this many points")
                                 ->check(CLI::NonNegativeNumber);  // else -1 is read as 2^64 - 1
  CLI::Option* const fraction =
      verb.add_option("--fraction", selection.fraction, "keep this share of the valid points, rounded up")
          ->capture_default_str();
  CLI::Option* const threshold = verb.add_option(
      "--threshold", selection.threshold, "keep the points that receive at least this many even shares");
  count->each(set(SelectionKind::count))->excludes(fraction)->excludes(threshold);
  fraction->each(set(SelectionKind::fraction))->excludes(threshold);
  threshold->each(set(SelectionKind::threshold));
}

}  // namespace

void add_sample(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("sample", "the points that receive most attention");
  const auto options = std::make_shared<SampleOptions>();
  add_kept_options(*verb, options->kept, "the other valid points");
  add_selection(*verb, options->selection);
  add_model_options(*verb, options->shared);
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Attention is that of the last layer, mean over heads, in double precision whatever --device says.\n"
      "Example: a tenth of the points\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention sample room.pcd room_sample.pcd --model preset:position --fraction 0.1");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
