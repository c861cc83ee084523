// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "files/safetensors.h"
#include "pcl_attention/error.h"
#include "pcl_attention/import.h"
#include "weights/import/state_dict.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kDefaultHeads = 8;

std::string attention_module(std::size_t layer) { return "net.layers." + std::to_string(layer) + ".0."; }
std::string feed_forward_module(std::size_t layer) { return "net.layers." + std::to_string(layer) + ".1."; }

class LucidrainsReader {
 public:
  LucidrainsReader(StateDict& state, const LucidrainsLinformerOptions& options)
      : state_(state), options_(options) {}

  ModelPtr read() {
    refuse_reversible();
    read_shapes();
    for (std::size_t layer = 0; layer < config_.depth; ++layer) {
      read_attention(layer);
      read_projections(layer);
      read_feed_forward(layer);
    }
    state_.finish();
    return std::make_shared<Model>(config_, std::move(tensors_));
  }

 private:
  void refuse_reversible() const {
    if (state_.has_any("net.blocks."))
      throw ModelError("tensors " + state_.full_name("net.blocks.") +
                       " … are a reversible network, which has another data flow and is not read");
  }

  void read_shapes() {
    config_.name = "lucidrains-linformer";
    config_.embedding = Embedding::identity;
    config_.order = Curve::none;
    config_.norm = NormPlacement::pre;
    config_.dropout = config_.feed_forward_dropout = options_.dropout;
    config_.depth = 0;
    while (state_.has_any(attention_module(config_.depth))) ++config_.depth;
    const std::string first = attention_module(0) + "fn.";
    const Tensor& query = state_.take_any_shape(first + "to_q.weight", 2);
    config_.channels = query.shape[1];
    config_.heads = find_heads(query.shape[0], state_.take_any_shape(first + "to_k.weight", 2).shape[0]);
    config_.head_width = query.shape[0] / config_.heads;
    config_.feed_forward = state_.take_any_shape(feed_forward_module(0) + "fn.w2.weight", 2).shape[1];
    const Tensor& projection = state_.take_any_shape(first + "proj_k", 2);
    config_.projection.length = projection.shape[0];
    config_.projection.k = projection.shape[1];
    config_.projection.length_policy = LengthPolicy::slice;
    config_.projection.sharing = state_.has(first + "proj_v") ? Sharing::headwise : Sharing::kv;
    if (options_.fields.empty()) config_.input.fields = {{"features", config_.channels}};
    for (const std::string& field : options_.fields) config_.input.fields.push_back({field});
  }

  /// Returns the number of heads; with one head of keys the widths tell it.
  std::size_t find_heads(std::size_t query_width, std::size_t key_width) const {
    const std::string widths =
        "to_q gives " + std::to_string(query_width) + " numbers and to_k " + std::to_string(key_width);
    if (key_width == 0 || query_width % key_width != 0)
      throw ModelError(widths + ": expected the same, or with one_kv_head a multiple");
    const bool shared = key_width != query_width;
    const std::size_t heads = options_.heads.value_or(shared ? query_width / key_width : kDefaultHeads);
    if (heads == 0 || query_width % heads != 0 || (shared && heads != query_width / key_width))
      throw ModelError(widths + ", which does not fit " + std::to_string(heads) +
                       (options_.heads ? " heads" : " heads, the default: give the number of heads"));
    return heads;
  }

  void copy_linear(const std::string& from, const std::string& to, std::size_t out, std::size_t in) {
    tensors_[to + ".weight"] = state_.take(from + ".weight", {out, in});
    tensors_[to + ".bias"] = state_.take(from + ".bias", {out});
  }

  /// Returns a matrix [H·D × C]; a single head [D × C] is repeated.
  Tensor take_heads(const std::string& name) {
    const std::size_t all = config_.heads * config_.head_width, width = config_.channels;
    if (state_.at(name).shape != std::vector<std::size_t>{config_.head_width, width})
      return state_.take(name, {all, width});
    const Tensor& one = state_.take(name, {config_.head_width, width});
    Tensor repeated{{all, width}, {}};
    for (std::size_t head = 0; head < config_.heads; ++head)
      repeated.values.insert(repeated.values.end(), one.values.begin(), one.values.end());
    return repeated;
  }

  void read_attention(std::size_t layer) {
    const std::string from = attention_module(layer), to = attention_name(layer);
    const std::size_t width = config_.channels, all = config_.heads * config_.head_width;
    const bool shared = config_.projection.sharing == Sharing::kv;
    tensors_[to + ".query.weight"] = state_.take(from + "fn.to_q.weight", {all, width});
    tensors_[to + ".key.weight"] = take_heads(from + "fn.to_k.weight");
    tensors_[to + ".value.weight"] = take_heads(from + (shared ? "fn.to_k.weight" : "fn.to_v.weight"));
    copy_linear(from + "fn.to_out", to + ".output", width, all);
    tensors_[to + ".norm.weight"] = state_.take(from + "norm.weight", {width});
    tensors_[to + ".norm.bias"] = state_.take(from + "norm.bias", {width});
  }

  /// E is stored [n × k] and has no bias.
  void read_projections(std::size_t layer) {
    const std::string from = attention_module(layer) + "fn.";
    const ProjectionNames names = projection_names(config_, layer, 0);
    add_projection(from + "proj_k", names.key);
    if (names.value != names.key) add_projection(from + "proj_v", names.value);
  }

  void add_projection(const std::string& from, const std::string& to) {
    const std::size_t n = config_.projection.length, k = config_.projection.k;
    const Tensor& stored = state_.take(from, {n, k});
    Tensor weight{{k, n}, std::vector<float>(n * k)};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < k; ++j) weight.values[j * n + i] = stored.values[i * k + j];
    tensors_[to + ".weight"] = std::move(weight);
    tensors_[to + ".bias"] = {{k}, std::vector<float>(k, 0.0F)};
  }

  void read_feed_forward(std::size_t layer) {
    const std::string from = feed_forward_module(layer), to = feed_forward_name(layer);
    const std::size_t width = config_.channels, inner = config_.feed_forward;
    if (state_.at(from + "fn.w1.weight").shape == std::vector<std::size_t>{2 * inner, width})
      throw ModelError("tensor " + state_.full_name(from + "fn.w1.weight") +
                       " is that of a gated feed-forward, which is not read");
    copy_linear(from + "fn.w1", to + ".0", inner, width);
    copy_linear(from + "fn.w2", to + ".1", width, inner);
    tensors_[to + ".norm.weight"] = state_.take(from + "norm.weight", {width});
    tensors_[to + ".norm.bias"] = state_.take(from + "norm.bias", {width});
  }

  StateDict& state_;
  const LucidrainsLinformerOptions& options_;
  ModelConfig config_;
  TensorMap tensors_;
};

/// Behind the given prefix a LinformerLM calls its network `linformer.`.
std::string find_prefix(const SafetensorsFile& file, const std::string& given) {
  const std::string inside = given + "linformer.net.";
  const auto found = file.tensors.lower_bound(inside);
  return found != file.tensors.end() && found->first.rfind(inside, 0) == 0 ? given + "linformer." : given;
}

}  // namespace

ModelPtr import_lucidrains_linformer(const std::string& path, const LucidrainsLinformerOptions& options) {
  return import_state(path, [&](SafetensorsFile& file) {
    StateDict state(file, find_prefix(file, options.prefix));
    return LucidrainsReader(state, options).read();
  });
}

}  // namespace pcl_attention
