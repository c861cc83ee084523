// SPDX-License-Identifier: BSD-3-Clause
#include "shared_options.h"

#include <algorithm>
#include <stdexcept>

#include "files/whole_file.h"

namespace pcl_attention::command {
namespace {

std::string check_field(const std::string& text) {
  const std::size_t at = text.find('=');
  const bool good = at != std::string::npos && at != 0 && at + 1 != text.size();
  return good ? "" : "expected NAME=CLOUDNAME, came '" + text + "'";
}

const std::map<std::string, Device>& devices() {
  static const std::map<std::string, Device> names{{"auto", Device::automatic},
                                                   {"cpu", Device::cpu},
                                                   {"reference", Device::reference},
                                                   {"cuda", Device::cuda}};
  return names;
}

/// Splits cuda:N; the number is empty without a colon.
std::string device_of(const std::string& text, std::string& index) {
  const std::size_t at = text.find(':');
  index = at == std::string::npos ? "" : text.substr(at + 1);
  return text.substr(0, at);
}

std::string check_device(const std::string& text) {
  std::string index;
  const std::string name = device_of(text, index);
  const bool digits =
      !index.empty() && index.size() <= 4 && index.find_first_not_of("0123456789") == std::string::npos;
  const bool good = text == name ? devices().count(name) != 0 : name == "cuda" && digits;
  return good ? "" : "expected auto, cpu, reference, cuda or cuda:N, came '" + text + "'";
}

}  // namespace

void add_cloud_options(CLI::App& app, SharedOptions& options) {
  app.add_option("--field", options.fields, "read the model's field NAME from the cloud's field CLOUDNAME")
      ->type_name("NAME=CLOUDNAME")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_field, ""));
  app.add_option("--zero-returns", options.zero_returns, "points at (0, 0, 0): keep, or invalid = no return")
      ->check(CLI::IsMember({"keep", "invalid"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "largest number of threads, 0 = all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--json", options.json, "write the summary as JSON")->type_name("FILE");
}

void add_sensor_option(CLI::App& app, SharedOptions& options) {
  app.add_option("--sensor-origin", options.sensor_origin,
                 "where the sensor stood in the cloud, for models that read angle of view or range")
      ->type_name("X,Y,Z")
      ->delimiter(',')
      ->expected(3);
}

void add_device_option(CLI::App& app, SharedOptions& options) {
  app.add_option("--device", options.device,
                 "where to compute: auto, cpu, reference (double precision), cuda or cuda:N, see `devices`")
      ->type_name("DEVICE")
      ->check(CLI::Validator(check_device, ""))
      ->capture_default_str();
}

void add_model_options(CLI::App& app, SharedOptions& options) {
  app.add_option("--model", options.model, "a .safetensors file, preset:NAME or shipped:NAME")
      ->type_name("FILE|preset:NAME|shipped:NAME")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of a preset's random weights and of random permutations")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--ordering", options.ordering, "order of the points: the model's, none, morton or hilbert")
      ->check(CLI::IsMember({"model", "none", "morton", "hilbert"}))
      ->capture_default_str();
  add_device_option(app, options);
  app.add_option("--length", options.length, "a stored projection that meets another number of points")
      ->check(CLI::IsMember({"model", "strict", "pad", "slice", "resample"}))
      ->capture_default_str();
  add_sensor_option(app, options);
}

std::map<std::string, std::string> field_names(const SharedOptions& options) {
  std::map<std::string, std::string> names;
  for (const std::string& text : options.fields) {
    const std::size_t at = text.find('=');
    names[text.substr(0, at)] = text.substr(at + 1);
  }
  return names;
}

EncoderOptions encoder_options(const SharedOptions& options) {
  static const std::map<std::string, Curve> curves{
      {"none", Curve::none}, {"morton", Curve::morton}, {"hilbert", Curve::hilbert}};
  static const std::map<std::string, LengthPolicy> policies{{"strict", LengthPolicy::strict},
                                                            {"pad", LengthPolicy::pad},
                                                            {"slice", LengthPolicy::slice},
                                                            {"resample", LengthPolicy::resample}};
  EncoderOptions result;
  std::string index;
  result.device = devices().at(device_of(options.device, index));
  if (!index.empty()) result.device_index = std::stoul(index);
  result.num_threads = options.threads;
  if (options.ordering != "model") result.order = curves.at(options.ordering);
  if (options.length != "model") result.length = policies.at(options.length);
  result.field_names = field_names(options);
  result.zero_is_invalid = options.zero_returns == "invalid";
  if (!options.sensor_origin.empty())
    std::copy_n(options.sensor_origin.begin(), 3, result.sensor_origin.begin());
  return result;
}

const char* name_of(Curve curve) {
  switch (curve) {
    case Curve::none:
      return "none";
    case Curve::morton:
      return "morton";
    case Curve::hilbert:
      return "hilbert";
  }
  throw std::invalid_argument("unknown curve");
}

void check_writable(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths)
    if (!path.empty()) pcl_attention::check_writable(path);
}

void write_json(const SharedOptions& options, const std::string& text) {
  if (options.json.empty()) return;
  write_whole_stream(options.json, [&](std::ostream& out) { out << text << '\n'; });
}

}  // namespace pcl_attention::command
