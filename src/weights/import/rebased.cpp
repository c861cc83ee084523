// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <utility>

#include "pcl_attention/error.h"
#include "pcl_attention/import.h"
#include "weights/import/state_dict.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kDefaultHeads = 12;

class RebasedReader {
 public:
  RebasedReader(StateDict& state, const RebasedOptions& options) : state_(state), options_(options) {}

  ModelPtr read() {
    read_shapes();
    const std::size_t width = config_.channels, keys = config_.heads * config_.head_width;
    const std::size_t values = config_.heads * config_.value_width();
    const std::string to = attention_name(0);
    tensors_[to + ".query.weight"] = state_.take("proj_q.weight", {keys, width});
    tensors_[to + ".key.weight"] = state_.take("proj_k.weight", {keys, width});
    tensors_[to + ".value.weight"] = state_.take("proj_v.weight", {values, width});
    tensors_[to + ".output.weight"] = state_.take("proj_o.weight", {width, values});
    tensors_[to + ".output.bias"] = {{width}, std::vector<float>(width, 0.0F)};
    read_norm("ln_q", to + ".query");
    read_norm("ln_k", to + ".key");
    state_.finish();
    return std::make_shared<Model>(config_, std::move(tensors_));
  }

 private:
  void read_shapes() {
    set_layer_alone("rebased", options_.fields, state_.take_any_shape("proj_q.weight", 2).shape[1], config_);
    config_.mechanism = Mechanism::kernel;
    const bool norm = state_.has("ln_q.weight");
    config_.kernel.similarity = norm ? Similarity::rebased : Similarity::quadratic;
    config_.kernel.constant = options_.constant;
    if (options_.constant && !norm)
      throw ModelError("the constant 1 is an option with LayerNorm, and tensor " +
                       state_.full_name("ln_q.weight") + " is missing");
    config_.heads = options_.heads.value_or(kDefaultHeads);
    config_.head_width = per_head("proj_q.weight");
    config_.kernel.value_width = per_head("proj_v.weight");
  }

  std::size_t per_head(const std::string& name) {
    const std::size_t rows = state_.take_any_shape(name, 2).shape[0];
    if (config_.heads == 0 || rows == 0 || rows % config_.heads != 0)
      throw ModelError("tensor " + state_.full_name(name) + " has " + std::to_string(rows) +
                       " rows, which do not fit " + std::to_string(config_.heads) +
                       (options_.heads ? " heads" : " heads, the default: give the number of heads"));
    return rows / config_.heads;
  }

  /// LayerNorm, or a scale γ per row of the map, which becomes part of the map.
  void read_norm(const std::string& from, const std::string& map) {
    const std::size_t rows = config_.heads * config_.head_width;
    if (config_.kernel.similarity == Similarity::rebased) {
      tensors_[map + "_norm.weight"] = state_.take(from + ".weight", {rows});
      tensors_[map + "_norm.bias"] = state_.take(from + ".bias", {rows});
    } else if (state_.has(from + ".gamma")) {
      for (float shift : state_.take(from + ".beta", {rows}).values)
        if (shift != 0.0F)
          throw ModelError("tensor " + state_.full_name(from + ".beta") +
                           " shifts the features without a norm, which is not read");
      const Tensor& scale = state_.take(from + ".gamma", {rows});
      Tensor& weight = tensors_[map + ".weight"];
      for (std::size_t i = 0; i < weight.values.size(); ++i)
        weight.values[i] *= scale.values[i / config_.channels];
    }
  }

  StateDict& state_;
  const RebasedOptions& options_;
  ModelConfig config_;
  TensorMap tensors_;
};

}  // namespace

ModelPtr import_rebased(const std::string& path, const RebasedOptions& options) {
  return import_state(path, [&](SafetensorsFile& file) {
    StateDict state(file, options.prefix);
    return RebasedReader(state, options).read();
  });
}

}  // namespace pcl_attention
