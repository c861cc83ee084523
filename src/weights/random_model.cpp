// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>
#include <utility>

#include "pcl_attention/model.h"
#include "weights/random.h"

namespace pcl_attention {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// A tensor's sequence depends on its name, so that new tensors do not change the numbers of others.
std::uint64_t stream_of(const std::string& name) {
  std::uint64_t value = 0xCBF29CE484222325ULL;
  for (unsigned char letter : name) value = (value ^ letter) * 0x100000001B3ULL;
  return value;
}

/// fan_in of the bias of a linear map is that of its weight, which precedes it in the specifications.
Tensor random_tensor(const TensorSpec& spec, const ModelConfig& config, std::size_t fan_in,
                     std::uint64_t seed) {
  Tensor tensor{spec.shape, {}};
  std::size_t count = 1;
  for (std::size_t size : spec.shape) count *= size;
  RandomSequence random(seed, stream_of(spec.name));
  const bool is_weight = spec.shape.size() == 2, is_projection = contains(spec.name, "projection");
  const double limit = 1.0 / std::sqrt(static_cast<double>(fan_in));
  double deviation = std::sqrt(2.0 / static_cast<double>(spec.shape.front() + spec.shape.back()));
  if (config.projection.kind == Projection::fixed) deviation = 1.0 / static_cast<double>(spec.shape.front());
  for (std::size_t i = 0; i < count; ++i) {
    double value = limit * (2.0 * random.uniform() - 1.0);
    if (contains(spec.name, "norm.")) value = contains(spec.name, ".weight") ? 1.0 : 0.0;
    if (is_projection && is_weight) value = deviation * random.normal();
    tensor.values.push_back(static_cast<float>(value));
  }
  return tensor;
}

}  // namespace

ModelPtr make_random_model(ModelConfig config, std::uint64_t seed) {
  config.random_weights = true;
  config.check();
  TensorMap tensors;
  std::size_t fan_in = 1;
  for (const TensorSpec& spec : tensor_specs(config)) {
    if (spec.shape.size() == 2) fan_in = spec.shape[1];
    tensors[spec.name] = random_tensor(spec, config, fan_in, seed);
  }
  return std::make_shared<Model>(std::move(config), std::move(tensors));
}

}  // namespace pcl_attention
