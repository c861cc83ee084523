// SPDX-License-Identifier: BSD-3-Clause
#include "weights/import/state_dict.h"

#include <cmath>

#include "exec/float_environment.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

Tensor to_tensor(const std::string& name, const StoredTensor& stored) {
  const std::vector<double> numbers = to_doubles(stored, name);
  Tensor tensor{stored.shape, {numbers.begin(), numbers.end()}};
  for (float value : tensor.values)
    if (!std::isfinite(value))
      throw ModelError("tensor " + name + " holds a number that is not finite in float32");
  return tensor;
}

}  // namespace

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

StateDict::StateDict(const SafetensorsFile& file, const std::string& prefix) : prefix_(prefix) {
  const auto add = [&](const std::string& name, const StoredTensor& stored) {
    if (starts_with(name, prefix)) tensors_[name.substr(prefix.size())] = to_tensor(name, stored);
  };
  for (const auto& [name, stored] : file.tensors) add(name, stored);
  for (const auto& [alias, kept] : file.metadata) {
    const auto found = file.tensors.find(kept);
    if (found != file.tensors.end() && file.tensors.count(alias) == 0) add(alias, found->second);
  }
}

bool StateDict::has_any(const std::string& prefix) const {
  const auto found = tensors_.lower_bound(prefix);
  return found != tensors_.end() && starts_with(found->first, prefix);
}

const Tensor& StateDict::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw ModelError("tensor " + full_name(name) + " is missing");
  return found->second;
}

const Tensor& StateDict::take_any_shape(const std::string& name, std::size_t num_dimensions) {
  const Tensor& tensor = at(name);
  if (tensor.shape.size() != num_dimensions)
    throw ModelError("tensor " + full_name(name) + " has shape " + shape_text(tensor.shape) + ", expected " +
                     std::to_string(num_dimensions) + " dimensions");
  taken_.insert(name);
  return tensor;
}

const Tensor& StateDict::take(const std::string& name, const std::vector<std::size_t>& shape) {
  if (!has(name)) throw ModelError("tensor " + full_name(name) + " " + shape_text(shape) + " is missing");
  const Tensor& tensor = at(name);
  if (tensor.shape != shape)
    throw ModelError("tensor " + full_name(name) + " has shape " + shape_text(tensor.shape) + ", expected " +
                     shape_text(shape));
  taken_.insert(name);
  return tensor;
}

void StateDict::skip(const std::string& prefix) {
  for (const auto& [name, tensor] : tensors_)
    if (starts_with(name, prefix)) taken_.insert(name);
}

std::size_t StateDict::count(const std::string& prefix, const std::string& suffix) const {
  std::size_t number = 0;
  while (has(prefix + std::to_string(number) + suffix)) ++number;
  return number;
}

void StateDict::finish() const {
  for (const auto& [name, tensor] : tensors_)
    if (taken_.count(name) == 0)
      throw ModelError("tensor " + full_name(name) + " " + shape_text(tensor.shape) +
                       " has no place in the network that the other tensors describe");
}

ModelPtr import_state(const std::string& path, const std::function<ModelPtr(SafetensorsFile&)>& read) {
  const DefaultFloatEnvironment environment;
  SafetensorsFile file = read_safetensors(path);
  try {
    return read(file);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  } catch (const FileError& error) {
    throw FileError(path + ": " + error.what());
  }
}

void set_layer_alone(const std::string& name, const std::vector<std::string>& fields, std::size_t channels,
                     ModelConfig& config) {
  config.name = name;
  config.embedding = Embedding::identity;
  config.order = Curve::none;
  config.channels = channels;
  config.norm = NormPlacement::none;
  config.feed_forward = 0;
  config.depth = 1;
  if (fields.empty()) config.input.fields = {{"features", channels}};
  for (const std::string& field : fields) config.input.fields.push_back({field});
}

}  // namespace pcl_attention
