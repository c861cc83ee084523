// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cloud_fields.h"
#include "cloud_file.h"
#include "coordinate_note.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"
#include "pcl_attention/pcl/cloud_contract.h"
#include "pcl_attention/pcl/written_fields.h"
#include "pcl_attention/tokens.h"
#include "progress.h"
#include "shared_options.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct FilterOptions {
  SharedOptions shared;
  std::string in, out;
  std::vector<std::string> fields{"attention"};
};

bool has_field(const CloudView& cloud, const std::string& name) {
  try {
    find_field(cloud, name, {});
    return true;
  } catch (const CloudError&) {
    return false;
  }
}

// The fields that the cloud does not have.
std::vector<std::string> added_fields(const CloudView& cloud, const std::vector<std::string>& names) {
  std::vector<std::string> added;
  for (const std::string& name : names)
    if (!has_field(cloud, name) && std::find(added.begin(), added.end(), name) == added.end())
      added.push_back(name);
  return added;
}

std::vector<float> encode(const CloudView& cloud, Encoder& encoder, EncodeResult& result) {
  Progress progress(encoder, cloud.num_points(), 1);
  const EncodeControls controls = progress.controls();
  EncodeInput input;
  input.surface = cloud;
  std::vector<float> rows(cloud.num_points() * encoder.model().config().output_width());
  result = encoder.encode(input, rows.data(), controls);
  return rows;
}

void report(const EncodeResult& result, const Encoder& encoder, const std::vector<std::string>& added,
            const std::string& note, const FilterOptions& options) {
  const ModelConfig& model = encoder.model().config();
  const std::string hash = encoder.model().hash(), ordering = name_of(encoder.order());
  const nlohmann::json json{{"input", options.in},
                            {"output", options.out},
                            {"points", result.num_rows},
                            {"valid_points", result.num_valid},
                            {"nan_rows", result.num_nan_rows},
                            {"masked_slots", result.masked_slots},
                            {"guarded_rows", result.guarded_rows},
                            {"fields", options.fields},
                            {"added_fields", added},
                            {"engine", encoder.engine()},
                            {"ordering", ordering},
                            {"model", model.name},
                            {"model_hash", hash},
                            {"random_weights", model.random_weights},
                            {"note", note}};
  write_json(options.shared, json.dump(2));
  std::string names;
  for (const std::string& name : options.fields) names += (names.empty() ? "" : ", ") + name;
  std::printf("filter: %zu points, %zu valid, wrote %s (%zu new), engine %s, ordering %s, model %s %s\n",
              result.num_rows, result.num_valid, names.c_str(), added.size(), encoder.engine().c_str(),
              ordering.c_str(), model.name.c_str(), hash.c_str());
  if (model.random_weights) std::puts("random weights: for order tests and timing, not for matching");
  if (!note.empty()) std::puts(note.c_str());
}

int run(const FilterOptions& options) {
  check_cloud_output(options.out);
  check_writable({options.out, options.shared.json});
  Encoder encoder(open_model(options.shared.model, options.shared.seed), encoder_options(options.shared));
  CloudFile file = read_cloud(options.in);
  const CloudView cloud = view_of(file.cloud);
  const std::vector<std::string> added = added_fields(cloud, options.fields);
  const std::size_t width = encoder.model().config().output_width();

  pcl::PCLPointCloud2 output;
  output.fields = file.cloud.fields;  // with_fields() takes a message without fields for one in place
  with_fields(file.cloud, added, output);
  const CloudView written = view_of(output);
  const std::vector<Field> fields = written_fields(written, options.fields, width);
  EncodeResult result;
  const std::vector<float> rows = encode(cloud, encoder, result);
  write_rows(written, fields, rows, width, bytes_of(output));
  const std::string note = coordinate_note(cloud, field_names(options.shared));

  file.cloud = std::move(output);
  write_cloud(file, options.out);
  report(result, encoder, added, note, options);
  return 0;
}

}  // namespace

void add_filter(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("filter", "fields of every point rewritten by the model");
  const auto options = std::make_shared<FilterOptions>();
  verb->add_option("IN", options->in, "cloud (.pcd .ply .bin)")->required();
  verb->add_option("OUT", options->out, "all points, every other field as it was (.pcd .ply)")->required();
  verb->add_option(
          "--fields", options->fields,
          "float fields that take the first numbers of a point's row; those the cloud lacks are added")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_field_name, ""))
      ->capture_default_str();
  add_model_options(*verb, options->shared);
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Example: the intensity rewritten, a field `score` added\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention filter room.pcd room_filtered.pcd --model preset:position --fields intensity,score");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
