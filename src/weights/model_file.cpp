// SPDX-License-Identifier: BSD-3-Clause
#include "weights/model_file.h"

#include <map>
#include <utility>

#include "exec/float_environment.h"
#include "pcl_attention/error.h"
#include "pcl_attention/outlier_model.h"

namespace pcl_attention {
namespace {

constexpr const char* kMetadataKey = "pcl_attention";
constexpr const char* kPresetPrefix = "preset:";

}  // namespace

ModelPtr model_of(const SafetensorsFile& file, const std::string& name) {
  const DefaultFloatEnvironment environment;
  std::map<std::string, std::string> metadata = file.metadata;
  const auto config = metadata.extract(kMetadataKey);
  if (config.empty())
    throw ModelError(name + ": no metadata \"" + kMetadataKey +
                     "\": not a model of this library; weights of other libraries are imported first");
  try {
    TensorMap tensors;
    for (const auto& [tensor, stored] : file.tensors)
      tensors[tensor] = Tensor{stored.shape, to_floats(stored, tensor)};
    return std::make_shared<Model>(config_from_json(config.mapped()), std::move(tensors),
                                   std::move(metadata));
  } catch (const ModelError& error) {
    throw ModelError(name + ": " + error.what());
  } catch (const FileError& error) {
    throw FileError(name + ": " + error.what());
  }
}

ModelPtr load_model(const std::string& path) { return model_of(read_safetensors(path), path); }

void save_model(const Model& model, const std::string& path) {
  SafetensorsFile file;
  file.metadata = model.metadata();
  file.metadata[kMetadataKey] = config_to_json(model.config());
  for (const auto& [name, tensor] : model.tensors())
    file.tensors[name] = make_f32_tensor(tensor.shape, tensor.values);
  write_safetensors(file, path);
}

ModelPtr open_model(const std::string& text, std::uint64_t seed) {
  const std::string prefix = kPresetPrefix;
  if (text.rfind(prefix, 0) == 0) return make_preset(text.substr(prefix.size()), seed);
  if (text == shipped_outlier_name) return shipped_outlier_model(false);
  if (text == shipped_outlier_sensor_name) return shipped_outlier_model(true);
  return load_model(text);
}

}  // namespace pcl_attention
