// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/model.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

std::string to_string(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

std::size_t num_elements(const std::vector<std::size_t>& shape) {
  std::size_t product = 1;
  for (std::size_t size : shape) product *= size;
  return product;
}

void check_tensor(const TensorSpec& spec, const Tensor& tensor) {
  if (tensor.shape != spec.shape)
    throw ModelError("tensor " + spec.name + " has shape " + to_string(tensor.shape) + ", expected " +
                     to_string(spec.shape));
  if (tensor.values.size() != num_elements(spec.shape))
    throw ModelError("tensor " + spec.name + " holds " + std::to_string(tensor.values.size()) +
                     " numbers, its shape " + to_string(spec.shape) + " needs " +
                     std::to_string(num_elements(spec.shape)));
  for (float value : tensor.values)
    if (!std::isfinite(value)) throw ModelError("tensor " + spec.name + " holds a number that is not finite");
  if (spec.name.find(".anchor_sigma") == std::string::npos) return;
  for (float value : tensor.values)
    if (value <= 0.0F)
      throw ModelError("tensor " + spec.name + " holds " + std::to_string(value) +
                       ", expected positive numbers");
}

void check_tensors(const ModelConfig& config, const TensorMap& tensors) {
  std::set<std::string> wanted;
  for (const TensorSpec& spec : tensor_specs(config)) {
    const auto found = tensors.find(spec.name);
    if (found == tensors.end())
      throw ModelError("tensor " + spec.name + " " + to_string(spec.shape) + " is missing");
    check_tensor(spec, found->second);
    wanted.insert(spec.name);
  }
  for (const auto& [name, tensor] : tensors)
    if (wanted.count(name) == 0) throw ModelError("tensor " + name + " is not part of this model");
}

/// FNV-1a, 64 bits. http://www.isthe.com/chongo/tech/comp/fnv/
class Hash {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001B3ULL;
  }
  void add(const std::string& text) { add(text.data(), text.size() + 1); }
  void add(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const unsigned char bytes[4] = {static_cast<unsigned char>(bits), static_cast<unsigned char>(bits >> 8),
                                    static_cast<unsigned char>(bits >> 16),
                                    static_cast<unsigned char>(bits >> 24)};
    add(bytes, sizeof bytes);
  }
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value_));
    return digits;
  }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

std::string hash_of(const ModelConfig& config, const TensorMap& tensors) {
  Hash hash;
  hash.add(config_to_json(config));
  for (const auto& [name, tensor] : tensors) {
    hash.add(name + to_string(tensor.shape));
    for (float value : tensor.values) hash.add(value);
  }
  return hash.text();
}

}  // namespace

Model::Model(ModelConfig config, TensorMap tensors, std::map<std::string, std::string> metadata)
    : config_(std::move(config)), tensors_(std::move(tensors)), metadata_(std::move(metadata)) {
  config_.check();
  check_tensors(config_, tensors_);
  hash_ = hash_of(config_, tensors_);
}

const Tensor& Model::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw ModelError("model " + config_.name + " has no tensor " + name);
  return found->second;
}

std::size_t Model::num_parameters() const {
  std::size_t sum = 0;
  for (const auto& [name, tensor] : tensors_) sum += tensor.values.size();
  return sum;
}

}  // namespace pcl_attention
