// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "attention/stopwatch.h"
#include "cloud_fields.h"
#include "coordinate_note.h"
#include "files/npy.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"
#include "point_source.h"
#include "progress.h"
#include "shared_options.h"
#include "stage_times.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct FeaturesOptions {
  SharedOptions shared;
  std::string in, out, surface, mask, query_mask, dtype = "f32";
};

// What is known before the run.
struct Job {
  ModelPtr model;  // as asked for
  PointSource queries;
  std::optional<PointSource> surface;
  std::vector<std::uint8_t> mask;        // of all surfaces in sequence, or empty
  std::vector<std::uint8_t> query_mask;  // of all queries in sequence, or empty
  bool rows_out = false;

  const PointSource& summarised() const { return surface ? *surface : queries; }
};

// What came out, added up over the batch.
struct Summary {
  std::size_t points = 0, surface_points = 0, valid = 0, nan_rows = 0, masked_slots = 0, guarded_rows = 0,
              width = 0;
  StageTimes times;
  std::string engine, ordering, note;
};

std::size_t count_points(const PointSource& source) {
  std::size_t count = 0;
  for (const CloudView& cloud : source.clouds) count += cloud.num_points();
  return count;
}

std::vector<std::uint8_t> read_mask(const std::string& path, const PointSource& surface) {
  const NpyArray array = read_npy(path);
  std::vector<std::size_t> expected;
  if (surface.batched) expected.push_back(surface.clouds.size());
  expected.push_back(surface.clouds.empty() ? 0 : surface.clouds[0].num_points());
  if (array.shape != expected && !(surface.clouds.empty() && array.values.empty()))
    throw FileError(path + ": expected a mask with one value per point, " +
                    std::to_string(count_points(surface)) + " in all; came " +
                    std::to_string(array.values.size()) + " in " + std::to_string(array.shape.size()) +
                    " dimensions");
  std::vector<std::uint8_t> mask;
  mask.reserve(array.values.size());
  for (const double value : array.values) mask.push_back(value != 0.0 ? 1 : 0);
  return mask;
}

void check_output(const FeaturesOptions& options) {
  const bool rows = is_rows_file(options.out);
  if (!rows) check_cloud_output(options.out);
  if (!rows && is_rows_file(options.in))
    throw FileError(options.out + ": rows from a .npy are written as .npy");
  if (!rows && options.dtype == "f64") throw FileError(options.out + ": --dtype f64 needs a .npy output");
  if (!options.surface.empty() && is_rows_file(options.surface) != is_rows_file(options.in))
    throw FileError(options.surface + ": IN and --surface must both be clouds or both be .npy");
  check_writable({options.out, options.shared.json});
}

Job read_job(const FeaturesOptions& options) {
  check_output(options);
  Job job;
  job.model = open_model(options.shared.model, options.shared.seed);
  job.rows_out = is_rows_file(options.out);
  const ModelPtr model = is_rows_file(options.in) ? model_of_rows(job.model) : job.model;
  job.queries = read_points(options.in, model->config().input);
  if (!options.surface.empty()) job.surface = read_points(options.surface, model->config().input);
  if (job.surface && job.surface->clouds.size() != job.queries.clouds.size())
    throw FileError(options.surface + ": expected a batch of " + std::to_string(job.queries.clouds.size()) +
                    ", came " + std::to_string(job.surface->clouds.size()));
  if (!options.mask.empty()) job.mask = read_mask(options.mask, job.summarised());
  if (!options.query_mask.empty()) job.query_mask = read_mask(options.query_mask, job.queries);
  return job;
}

void add(const EncodeResult& result, Summary& summary) {
  summary.valid += result.num_valid;
  summary.nan_rows += result.num_nan_rows;
  summary.masked_slots += result.masked_slots;
  summary.guarded_rows += result.guarded_rows;
  summary.times.add(result.seconds);
}

// Encodes every item of the batch, one behind the other, into one block of rows.
template <class T>
std::vector<T> encode_all(const Job& job, Encoder& encoder, Summary& summary) {
  const std::vector<CloudView>& queries = job.queries.clouds;
  const std::vector<CloudView>& surfaces = job.summarised().clouds;
  const std::size_t largest = surfaces.empty() ? 0 : surfaces[0].num_points();
  Progress progress(encoder, largest, surfaces.size());
  const auto show = progress.callback();
  std::vector<T> rows(summary.points * summary.width);
  std::size_t row = 0, mask = 0;
  for (std::size_t b = 0; b < queries.size(); ++b) {
    EncodeInput input;
    input.surface = surfaces[b];
    if (!job.mask.empty()) input.key_mask = job.mask.data() + mask;
    if (!job.query_mask.empty()) input.query_mask = job.query_mask.data() + row;
    if (job.surface) input.queries = &queries[b];
    EncodeControls controls;
    const double before = static_cast<double>(b), all = static_cast<double>(queries.size());
    if (show) controls.progress = [=](double done) { show((before + done) / all); };
    add(encoder.encode(input, rows.data() + row * summary.width, controls), summary);
    row += queries[b].num_points();
    mask += surfaces[b].num_points();
  }
  return rows;
}

template <class T>
void write_rows(const Job& job, const std::string& path, const std::vector<T>& rows, std::size_t width) {
  std::vector<std::size_t> shape;
  const std::vector<CloudView>& clouds = job.queries.clouds;
  if (job.queries.batched) shape.push_back(clouds.size());
  shape.push_back(clouds.empty() ? 0 : clouds[0].num_points());
  shape.push_back(width);
  write_npy(path, shape, rows.data());
}

template <class T>
void encode_and_write(Job& job, Encoder& encoder, const std::string& path, Summary& summary) {
  const std::vector<T> rows = encode_all<T>(job, encoder, summary);
  Stopwatch watch;
  if (job.rows_out) {
    write_rows(job, path, rows, summary.width);
  } else if constexpr (std::is_same_v<T, float>) {
    CloudFile file = *job.queries.file;
    append_field(file.cloud, "attention", summary.width, rows.data());
    write_cloud(file, path);
  }
  summary.times.write = watch.lap();
}

nlohmann::json to_json(const Summary& s, const Model& model, const FeaturesOptions& options) {
  return {{"input", options.in},
          {"output", options.out},
          {"points", s.points},
          {"surface_points", s.surface_points},
          {"valid_points", s.valid},
          {"nan_rows", s.nan_rows},
          {"masked_slots", s.masked_slots},
          {"guarded_rows", s.guarded_rows},
          {"rows", s.points},
          {"width", s.width},
          {"engine", s.engine},
          {"ordering", s.ordering},
          {"model", model.config().name},
          {"model_hash", model.hash()},
          {"random_weights", model.config().random_weights},
          {"note", s.note},
          {"seconds", s.times.to_json()}};
}

void print(const Summary& s, const Model& model) {
  const std::string surface =
      s.surface_points == s.points ? "" : " over " + std::to_string(s.surface_points) + " surface points";
  std::printf(
      "features: %zu points%s, %zu valid, rows %zu x %zu, engine %s, ordering %s, model %s %s, "
      "%s\n",
      s.points, surface.c_str(), s.valid, s.points, s.width, s.engine.c_str(), s.ordering.c_str(),
      model.config().name.c_str(), model.hash().c_str(), s.times.to_text().c_str());
  if (model.config().random_weights)
    std::puts("random weights: for order tests and timing, not for matching");
  if (!s.note.empty()) std::puts(s.note.c_str());
}

int run(const FeaturesOptions& options) {
  Stopwatch watch;
  Job job = read_job(options);
  Summary summary;
  summary.times.read = watch.lap();
  const bool rows_in = is_rows_file(options.in);
  Encoder encoder(rows_in ? model_of_rows(job.model) : job.model, encoder_options(options.shared));
  summary.points = count_points(job.queries);
  summary.surface_points = count_points(job.summarised());
  summary.width = job.model->config().output_width();
  summary.engine = encoder.engine();
  summary.ordering = name_of(encoder.order());
  for (const CloudView& cloud : job.summarised().clouds)
    if (summary.note.empty()) summary.note = coordinate_note(cloud, field_names(options.shared));
  if (options.dtype == "f64") {
    encode_and_write<double>(job, encoder, options.out, summary);
  } else {
    encode_and_write<float>(job, encoder, options.out, summary);
  }
  write_json(options.shared, to_json(summary, *job.model, options).dump(2));
  print(summary, *job.model);
  return 0;
}

}  // namespace

void add_features(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("features", "an attention descriptor for every point");
  const auto options = std::make_shared<FeaturesOptions>();
  verb->add_option("IN", options->in, "cloud (.pcd .ply .bin), or .npy rows [n,d] or [b,n,d]")->required();
  verb->add_option("OUT", options->out, "the cloud with a field `attention` (.pcd .ply), or rows (.npy)")
      ->required();
  verb->add_option("--surface", options->surface, "summarise this cloud; IN are the queries")
      ->type_name("FILE");
  verb->add_option("--mask", options->mask, "[n] or [b,n], true = summarise the point")
      ->type_name("FILE.npy");
  verb->add_option("--query-mask", options->query_mask, "of a decoder: as --mask, for the points of IN")
      ->type_name("FILE.npy");
  verb->add_option("--dtype", options->dtype, "numbers of a .npy output")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  add_model_options(*verb, options->shared);
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Example: descriptors of a scan, as a cloud with one field `attention` of 64 floats\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention features room.pcd room_features.pcd --model preset:position");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
