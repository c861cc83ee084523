// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>
#include <string>
#include <utility>

#include "pcl_attention/model.h"

namespace pcl_attention {
namespace {

/// What all presets share: x y z on the unit sphere, width 64, 4 heads, 2 layers, Morton order.
ModelConfig common() {
  ModelConfig config;
  config.input.fields = {{"x"}, {"y"}, {"z"}};
  config.input.normalization = Normalization::unit_sphere;
  config.position_encoding = PositionEncoding::xyz;
  config.position_cell = 0.1;
  config.projection.length_policy = LengthPolicy::resample;
  return config;
}

ModelConfig linformer() { return common(); }

ModelConfig linformer_smooth() {
  ModelConfig config = common();
  config.projection.kind = Projection::smooth;
  return config;
}

ModelConfig linformer_segment() {
  ModelConfig config = common();
  config.projection.kind = Projection::segment_mean;
  return config;
}

ModelConfig position() {
  ModelConfig config = common();
  config.projection.kind = Projection::position;
  return config;
}

template <Mechanism mechanism>
ModelConfig with() {
  ModelConfig config = common();
  config.mechanism = mechanism;
  return config;
}

template <Similarity similarity>
ModelConfig kernel() {
  ModelConfig config = with<Mechanism::kernel>();
  config.kernel.similarity = similarity;
  return config;
}

ModelConfig kernel_quadratic() {
  ModelConfig config = kernel<Similarity::quadratic>();
  config.kernel.constant = true;
  return config;
}

const std::vector<std::pair<const char*, ModelConfig (*)()>> kPresets{
    {"linformer", linformer},
    {"linformer-smooth", linformer_smooth},
    {"linformer-segment", linformer_segment},
    {"position", position},
    {"inducing", with<Mechanism::inducing>},
    {"anchored", with<Mechanism::anchored>},
    {"full", with<Mechanism::full>},
    {"kernel-elu", kernel<Similarity::elu>},
    {"kernel-quadratic", kernel_quadratic},
    {"kernel-rebased", kernel<Similarity::rebased>},
    {"kernel-taylor", kernel<Similarity::taylor>},
    {"kernel-favor", kernel<Similarity::favor>},
};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& preset : kPresets) names.emplace_back(preset.first);
  return names;
}

ModelPtr make_preset(const std::string& name, std::uint64_t seed) {
  std::string known;
  for (const auto& [preset, make] : kPresets) {
    if (name == preset) {
      ModelConfig config = make();
      config.name = "preset:" + name;
      return make_random_model(std::move(config), seed);
    }
    known += std::string(known.empty() ? "" : ", ") + preset;
  }
  throw std::invalid_argument("preset \"" + name + "\" is unknown, expected one of: " + known);
}

}  // namespace pcl_attention
