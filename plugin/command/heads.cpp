// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/heads.h"

#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cloud_fields.h"
#include "cloud_file.h"
#include "heads_picture.h"
#include "pcl_attention/error.h"
#include "point_source.h"
#include "progress.h"
#include "shared_options.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct HeadsOptions {
  SharedOptions shared;
  std::string in, surface, png, cloud;
  HeadsRequest request;
  std::size_t layer = 0;  // 0: the last
};

// What is shown, read from files.
struct Shown {
  ModelPtr model;
  PointSource points;
  std::optional<PointSource> surface;

  const CloudView& summarised() const { return (surface ? *surface : points).clouds.at(0); }
};

Shown read(const HeadsOptions& options) {
  if (options.png.empty() && options.cloud.empty())
    throw std::invalid_argument("heads: nothing to write, give --png or --cloud");
  if (!options.cloud.empty()) check_cloud_output(options.cloud);
  if (!options.cloud.empty() && is_rows_file(options.in))
    throw FileError(options.cloud + ": rows from a .npy have no place in space, --cloud needs a cloud");
  check_writable({options.png, options.cloud, options.shared.json});
  Shown shown;
  shown.model = open_model(options.shared.model, options.shared.seed);
  if (is_rows_file(options.in)) shown.model = model_of_rows(shown.model);
  shown.points = read_points(options.in, shown.model->config().input);
  if (!options.surface.empty()) shown.surface = read_points(options.surface, shown.model->config().input);
  for (const PointSource* source : {&shown.points, shown.surface ? &*shown.surface : &shown.points})
    if (source->clouds.size() != 1)
      throw FileError(options.in + ": expected one cloud, came " + std::to_string(source->clouds.size()));
  return shown;
}

// The layer whose values go into the cloud.
std::size_t layer_of(const HeadsOptions& options, const ModelConfig& config) {
  if (options.layer > config.depth)
    throw std::invalid_argument("--layer is " + std::to_string(options.layer) + ", the model has " +
                                std::to_string(config.depth));
  return (options.layer == 0 ? config.depth : options.layer) - 1;
}

void write_points(const Shown& shown, const AttentionHeadsResult& result, std::size_t layer,
                  const std::string& path) {
  CloudFile file = *shown.points.file;
  const std::size_t heads = shown.model->config().heads;
  AttentionHead nothing;  // of a cloud without valid points
  nothing.received.assign(result.num_points, std::numeric_limits<float>::quiet_NaN());
  nothing.strongest_slot.assign(result.num_points, -1);
  const auto of = [&](std::size_t head) -> const AttentionHead& {
    return result.heads.empty() ? nothing : result.at(layer, head);
  };
  std::vector<float> mean(result.num_points, 0.0F), slots(result.num_points);
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t i = 0; i < result.num_points; ++i)
      mean[i] += of(head).received[i] / static_cast<float>(heads);
  append_field(file.cloud, "received", 1, mean.data());
  for (std::size_t head = 0; head < heads; ++head) {
    slots.assign(of(head).strongest_slot.begin(), of(head).strongest_slot.end());
    append_field(file.cloud, "received_" + std::to_string(head + 1), 1, of(head).received.data());
    append_field(file.cloud, "slot_" + std::to_string(head + 1), 1, slots.data());
  }
  write_cloud(file, path);
}

AttentionHeadsResult compute(const HeadsOptions& options, const Shown& shown) {
  HeadsRequest request = options.request;
  request.per_point = !options.cloud.empty();
  if (options.png.empty())
    request.num_rows = 0;
  else if (request.num_rows == 0)
    request.num_rows = shown.points.clouds[0].num_points();
  EncoderOptions encoding = encoder_options(options.shared);
  encoding.device = Device::reference;
  Progress progress(Encoder(shown.model, encoding), shown.summarised().num_points(), 1);
  const EncodeControls controls = progress.controls();
  EncodeInput input;
  input.surface = shown.summarised();
  if (shown.surface) input.queries = &shown.points.clouds[0];
  AttentionHeads heads(shown.model, encoding);
  return heads.compute(input, request, controls);
}

int run(const HeadsOptions& options) {
  const Shown shown = read(options);
  const std::size_t layer = layer_of(options, shown.model->config());
  const AttentionHeadsResult result = compute(options, shown);
  const std::string name = shown.model->config().name, hash = shown.model->hash();
  const bool random = shown.model->config().random_weights;
  if (!options.png.empty())
    write_png(draw_heads(result, "Attention heads of " + name + (random ? " (random weights)" : "")),
              options.png);
  if (!options.cloud.empty()) write_points(shown, result, layer, options.cloud);
  const nlohmann::json json{{"points", result.num_points},
                            {"rows", result.row_points},
                            {"layers", result.num_layers},
                            {"heads", result.num_heads},
                            {"model", name},
                            {"model_hash", hash},
                            {"random_weights", random},
                            {"png", options.png},
                            {"cloud", options.cloud}};
  write_json(options.shared, json.dump(2));
  std::printf("heads: %zu points, %zu layers of %zu heads, model %s %s%s\n", result.num_points,
              result.num_layers, result.num_heads, name.c_str(), hash.c_str(),
              random ? ", random weights" : "");
  return 0;
}

}  // namespace

void add_heads(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("heads", "what each attention head looks at");
  const auto options = std::make_shared<HeadsOptions>();
  verb->add_option("IN", options->in, "cloud (.pcd .ply .bin), or .npy rows [n,d]")->required();
  verb->add_option("--png", options->png, "draw every head of every layer, points x slots")
      ->type_name("FILE");
  verb->add_option("--cloud", options->cloud,
                   "the cloud with fields `received`, `received_HEAD` and `slot_HEAD` (.pcd .ply)")
      ->type_name("FILE");
  verb->add_option("--rows", options->request.num_rows, "points per picture, spread over the order; 0 = all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--layer", options->layer, "layer for --cloud, counted from 1; default: the last")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--surface", options->surface, "summarise this cloud; IN are the queries")
      ->type_name("FILE");
  add_model_options(*verb, options->shared);
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Example: as a picture, and as a cloud to be looked at in 3D\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention heads room.pcd --model preset:position --png heads.png --cloud heads.pcd");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
