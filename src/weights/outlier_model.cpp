// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/outlier_model.h"

#include <charconv>

#include "pcl_attention/error.h"
#include "weights/embedded_file.h"
#include "weights/model_file.h"

namespace pcl_attention {
namespace {

constexpr double default_threshold = 0.5;

ModelPtr open_embedded(const EmbeddedFile& file, const char* name) {
  return model_of(parse_safetensors({reinterpret_cast<const char*>(file.bytes), file.size}, name), name);
}

}  // namespace

ModelPtr shipped_outlier_model(bool with_sensor_origin) {
  static const ModelPtr without = open_embedded(outlier_model_file, shipped_outlier_name);
  if (!with_sensor_origin) return without;
  static const ModelPtr with = open_embedded(outlier_sensor_model_file, shipped_outlier_sensor_name);
  return with;
}

double outlier_threshold(const Model& model) {
  const auto found = model.metadata().find(outlier_threshold_key);
  if (found == model.metadata().end()) return default_threshold;
  const std::string& text = found->second;
  double threshold = -1.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threshold);
  if (error == std::errc() && end == text.data() + text.size() && threshold >= 0.0 && threshold <= 1.0)
    return threshold;
  throw ModelError("model " + model.config().name + ": metadata \"" + outlier_threshold_key + "\" is \"" +
                   text + "\", expected a number from 0 to 1");
}

void check_outlier_model(const Model& model) {
  const ModelConfig& config = model.config();
  if (config.head_output != 1 || config.decoder)
    throw ModelError("model " + config.name + " is no outlier model: expected head_output 1, a number per " +
                     "point, and no decoder; came head_output " + std::to_string(config.head_output) +
                     (config.decoder ? " of a decoder" : ""));
  outlier_threshold(model);
}

}  // namespace pcl_attention
