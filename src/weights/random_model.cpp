// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>
#include <utility>

#include "exec/float_environment.h"
#include "pcl_attention/model.h"
#include "weights/random.h"

namespace pcl_attention {
namespace {

/// A tensor's sequence depends on its name, so that new tensors do not change the numbers of others.
std::uint64_t stream_of(const std::string& name) {
  std::uint64_t value = 0xCBF29CE484222325ULL;
  for (unsigned char letter : name) value = (value ^ letter) * 0x100000001B3ULL;
  return value;
}

/// What the numbers of a tensor are drawn from.
enum class Draw { uniform, normal, orthogonal, one, zero };

Draw draw_of(const TensorSpec& spec) {
  const bool is_weight = spec.name.find(".weight") != std::string::npos;
  if (spec.name.find("norm.") != std::string::npos) return is_weight ? Draw::one : Draw::zero;
  if (spec.name.find(".anchor_sigma") != std::string::npos) return Draw::one;
  if (spec.name.find(".slots.") != std::string::npos) return Draw::normal;
  if (spec.name.find(".features.") != std::string::npos) return Draw::orthogonal;
  const bool is_matrix = spec.shape.size() == 2;
  return is_matrix && spec.name.find("projection") != std::string::npos ? Draw::normal : Draw::uniform;
}

/// Standard deviation of learned queries: 1; of a stored projection [k x N]: Xavier normal, or 1/k for
/// constants.
double deviation_of(const TensorSpec& spec, const ModelConfig& config) {
  if (spec.name.find(".slots.") != std::string::npos) return 1.0;
  const double k = static_cast<double>(spec.shape.front()), length = static_cast<double>(spec.shape.back());
  return config.projection.kind == Projection::fixed ? 1.0 / k : std::sqrt(2.0 / (k + length));
}

double dot(const double* a, const double* b, std::size_t size) {
  double sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

/// Writes rows that are orthogonal in blocks of `width`, each as long as a normal vector of that width.
/// Source: Choromanski and others, "Rethinking attention with performers", ICLR 2021.
void draw_orthogonal(RandomSequence& random, std::size_t width, std::vector<float>& values) {
  std::vector<double> rows(values.size());
  for (double& value : rows) value = random.normal();
  for (std::size_t first = 0; first < rows.size(); first += width) {
    double* row = rows.data() + first;
    const double length = std::sqrt(dot(row, row, width));
    for (std::size_t other = first / (width * width) * width * width; other < first; other += width) {
      const double* to = rows.data() + other;
      const double share = dot(row, to, width) / dot(to, to, width);
      for (std::size_t c = 0; c < width; ++c) row[c] -= share * to[c];
    }
    const double scale = length / std::sqrt(dot(row, row, width));
    for (std::size_t c = 0; c < width; ++c) row[c] *= scale;
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(rows[i]);
}

/// @param fan_in  inputs of the linear map that a weight or bias belongs to
Tensor random_tensor(const TensorSpec& spec, const ModelConfig& config, std::size_t fan_in,
                     std::uint64_t seed) {
  std::size_t count = 1;
  for (std::size_t size : spec.shape) count *= size;
  RandomSequence random(seed, stream_of(spec.name));
  const double limit = 1.0 / std::sqrt(static_cast<double>(fan_in)), deviation = deviation_of(spec, config);
  const Draw draw = draw_of(spec);
  Tensor tensor{spec.shape, std::vector<float>(count, draw == Draw::one ? 1.0F : 0.0F)};
  for (float& value : tensor.values) {
    if (draw == Draw::uniform) value = static_cast<float>(limit * (2.0 * random.uniform() - 1.0));
    if (draw == Draw::normal) value = static_cast<float>(deviation * random.normal());
  }
  if (draw == Draw::orthogonal) draw_orthogonal(random, spec.shape[1], tensor.values);
  return tensor;
}

}  // namespace

ModelPtr make_random_model(ModelConfig config, std::uint64_t seed) {
  const DefaultFloatEnvironment environment;
  config.random_weights = true;
  config.check();
  TensorMap tensors;
  std::size_t fan_in = 1;
  for (const TensorSpec& spec : tensor_specs(config)) {
    if (spec.shape.size() == 2) fan_in = spec.shape[1];
    if (spec.shape.size() == 3) fan_in = spec.shape[1] * spec.shape[2];
    tensors[spec.name] = random_tensor(spec, config, fan_in, seed);
  }
  return std::make_shared<Model>(std::move(config), std::move(tensors));
}

}  // namespace pcl_attention
