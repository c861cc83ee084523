// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "exec/float_environment.h"
#include "files/safetensors.h"
#include "pcl_attention/error.h"
#include "pcl_attention/model.h"

namespace pcl_attention {
namespace {

constexpr const char* kMetadataKey = "pcl_attention";
constexpr const char* kPresetPrefix = "preset:";

}  // namespace

ModelPtr load_model(const std::string& path) {
  const DefaultFloatEnvironment environment;
  const SafetensorsFile file = read_safetensors(path);
  const auto config = file.metadata.find(kMetadataKey);
  if (config == file.metadata.end())
    throw ModelError(path + ": no metadata \"" + kMetadataKey +
                     "\": not a model of this library; weights of other libraries are imported first");
  try {
    TensorMap tensors;
    for (const auto& [name, stored] : file.tensors)
      tensors[name] = Tensor{stored.shape, to_floats(stored, name)};
    return std::make_shared<Model>(config_from_json(config->second), std::move(tensors));
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  } catch (const FileError& error) {
    throw FileError(path + ": " + error.what());
  }
}

void save_model(const Model& model, const std::string& path) {
  SafetensorsFile file;
  file.metadata[kMetadataKey] = config_to_json(model.config());
  for (const auto& [name, tensor] : model.tensors())
    file.tensors[name] = make_f32_tensor(tensor.shape, tensor.values);
  write_safetensors(file, path);
}

ModelPtr open_model(const std::string& text, std::uint64_t seed) {
  const std::string prefix = kPresetPrefix;
  if (text.rfind(prefix, 0) == 0) return make_preset(text.substr(prefix.size()), seed);
  return load_model(text);
}

}  // namespace pcl_attention
