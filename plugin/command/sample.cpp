// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cloud_fields.h"
#include "cloud_file.h"
#include "pcl_attention/heads.h"
#include "pcl_attention/pcl/cloud_contract.h"
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
  std::string in, out, removed;
  Selection selection;
  bool negative = false, keep_organised = false;
};

// What becomes of the points, each list in the sequence of the cloud.
struct Sample {
  std::vector<std::uint32_t> kept, removed;
  std::size_t valid = 0;
};

std::vector<double> received(const CloudView& cloud, const ModelPtr& model, EncoderOptions encoding) {
  encoding.device = Device::reference;
  Progress progress(Encoder(model, encoding), cloud.num_points(), 1);
  EncodeControls controls;
  controls.progress = progress.callback();
  EncodeInput input;
  input.surface = cloud;
  AttentionHeads heads(model, encoding);
  return attention_received(heads, input, controls);
}

Sample choose(const CloudView& cloud, const std::vector<double>& attention, const SampleOptions& options) {
  RankingOptions ranking;
  ranking.field_names = field_names(options.shared);
  ranking.zero_is_invalid = options.shared.zero_returns == "invalid";
  ranking.num_threads = options.shared.threads;
  const auto chosen = select_points(attention, ranked_points(cloud, ranking), options.selection);
  Sample sample;
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    const bool valid = !std::isnan(attention[i]);
    sample.valid += valid ? 1 : 0;
    const bool keep = valid && (chosen[i] != 0) != options.negative;
    (keep ? sample.kept : sample.removed).push_back(i);
  }
  return sample;
}

pcl::PCLPointCloud2 kept_points(const pcl::PCLPointCloud2& cloud, const Sample& sample, bool keep_organised) {
  if (!keep_organised) return select_points(cloud, sample.kept);
  pcl::PCLPointCloud2 result = cloud;
  const pcl::Indices removed(sample.removed.begin(), sample.removed.end());
  set_coordinates(removed, std::numeric_limits<float>::quiet_NaN(), result);
  return result;
}

void report(const Sample& sample, const Model& model, const SampleOptions& options) {
  const std::size_t points = sample.kept.size() + sample.removed.size();
  const ModelConfig& config = model.config();
  const nlohmann::json json{{"input", options.in},
                            {"output", options.out},
                            {"removed_output", options.removed},
                            {"points", points},
                            {"valid_points", sample.valid},
                            {"kept", sample.kept.size()},
                            {"removed", sample.removed.size()},
                            {"engine", "reference"},
                            {"model", config.name},
                            {"model_hash", model.hash()},
                            {"random_weights", config.random_weights}};
  write_json(options.shared, json.dump(2));
  std::printf("sample: %zu points, %zu valid, %zu kept, %zu removed, engine reference, model %s %s\n", points,
              sample.valid, sample.kept.size(), sample.removed.size(), config.name.c_str(),
              model.hash().c_str());
  if (config.random_weights) std::puts("random weights: for order tests and timing, not for matching");
}

void check_outputs(const SampleOptions& options) {
  options.selection.check();
  check_cloud_output(options.out);
  if (!options.removed.empty()) check_cloud_output(options.removed);
  if (options.removed == options.out)
    throw std::invalid_argument("--removed and OUT are one file: " + options.out);
  check_writable({options.out, options.removed, options.shared.json});
}

int run(const SampleOptions& options) {
  check_outputs(options);
  const ModelPtr model = open_model(options.shared.model, options.shared.seed);
  CloudFile file = read_cloud(options.in);
  const CloudView cloud = view_of(file.cloud);
  const Sample sample = choose(cloud, received(cloud, model, encoder_options(options.shared)), options);
  const pcl::PCLPointCloud2 kept = kept_points(file.cloud, sample, options.keep_organised);
  if (!options.removed.empty())
    write_cloud({select_points(file.cloud, sample.removed), file.viewpoint}, options.removed);
  write_cloud({kept, file.viewpoint}, options.out);
  report(sample, *model, options);
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
  verb->add_option("IN", options->in, "cloud (.pcd .ply .bin)")->required();
  verb->add_option("OUT", options->out, "the points kept, with all their fields (.pcd .ply)")->required();
  add_selection(*verb, options->selection);
  verb->add_flag("--negative", options->negative, "keep the other valid points instead");
  verb->add_flag("--keep-organised", options->keep_organised,
                 "keep rows and columns: x, y, z of removed points become NaN");
  verb->add_option("--removed", options->removed, "write the removed points, invalid ones among them")
      ->type_name("FILE");
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
