// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "pcl_attention/encoder.h"

namespace pcl_attention::command {

/// Options several verbs share, as typed.
struct SharedOptions {
  std::string model = "preset:linformer";
  std::uint64_t seed = 0;
  std::string ordering = "model", device = "auto", zero_returns = "keep", length = "model";
  std::vector<double> sensor_origin;  ///< x y z, or empty
  unsigned threads = 0;
  std::vector<std::string> fields;  ///< NAME=CLOUDNAME
  std::string json;                 ///< file, or empty
};

/// Adds --field, --zero-returns, --threads, --json: how a cloud is read and where the summary goes.
void add_cloud_options(CLI::App& app, SharedOptions& options);

/// Adds --sensor-origin: where the sensor stood in the cloud.
void add_sensor_option(CLI::App& app, SharedOptions& options);

/// Adds --device: where it is run.
void add_device_option(CLI::App& app, SharedOptions& options);

/// Adds --model, --seed, --ordering, --device, --length, --sensor-origin: what is run.
void add_model_options(CLI::App& app, SharedOptions& options);

/// Returns the mapping model field → cloud field.
std::map<std::string, std::string> field_names(const SharedOptions& options);

EncoderOptions encoder_options(const SharedOptions& options);

/// Returns "none", "morton" or "hilbert".
const char* name_of(Curve curve);

/// Returns nothing if files can be made at all paths; an empty path is none. Verbs call it before long work.
/// @throws FileError naming the path and the reason.
void check_writable(std::initializer_list<std::string> paths);

/// Writes a JSON text and a line break to options.json, if one was asked for.
void write_json(const SharedOptions& options, const std::string& text);

}  // namespace pcl_attention::command
