// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "files/safetensors.h"
#include "pcl_attention/error.h"
#include "pcl_attention/import.h"
#include "weights/import/linformer_projections.h"
#include "weights/import/state_dict.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

/// Modules of `seq`: an attention per layer, each followed by its feed-forward if there are any.
struct Modules {
  std::vector<std::string> attention, feed_forward;  ///< "seq.0", …
};

class LinformerReader {
 public:
  LinformerReader(StateDict& state, const LinformerPytorchOptions& options)
      : state_(state), options_(options) {}

  ModelPtr read() {
    find_modules();
    read_shapes();
    for (std::size_t layer = 0; layer < config_.depth; ++layer) {
      read_attention(layer);
      if (config_.feed_forward != 0) read_feed_forward(layer);
    }
    read_projections();
    state_.finish();
    return std::make_shared<Model>(config_, std::move(tensors_));
  }

 private:
  void find_modules() {
    for (std::size_t i = 0; state_.has_any("seq." + std::to_string(i) + "."); ++i) {
      const std::string name = "seq." + std::to_string(i);
      (state_.has_any(name + ".fn.w_1.") ? modules_.feed_forward : modules_.attention).push_back(name);
    }
    if (modules_.attention.empty())
      throw ModelError("tensor seq.0.fn.to_q.0.weight is missing: no Linformer begins here");
    if (!modules_.feed_forward.empty() && modules_.feed_forward.size() != modules_.attention.size())
      throw ModelError("found " + std::to_string(modules_.attention.size()) + " attention modules and " +
                       std::to_string(modules_.feed_forward.size()) +
                       " feed-forward modules, expected one for each or none");
  }

  void read_shapes() {
    config_.name = "linformer-pytorch";
    config_.embedding = Embedding::identity;
    config_.order = Curve::none;
    config_.depth = modules_.attention.size();
    const std::string attention = modules_.attention[0] + ".fn.";
    config_.heads = state_.count(attention + "to_q.", ".weight");
    const Tensor& query = state_.take_any_shape(attention + "to_q.0.weight", 2);
    config_.head_width = query.shape[0];
    config_.channels = query.shape[1];
    if (state_.has(attention + "w_o_1.weight"))
      config_.output_intermediate = state_.take_any_shape(attention + "w_o_1.weight", 2).shape[0];
    config_.feed_forward = 0;
    config_.activation = options_.activation;
    if (!modules_.feed_forward.empty())
      config_.feed_forward = state_.take_any_shape(modules_.feed_forward[0] + ".fn.w_1.weight", 2).shape[0];
    if (config_.depth > 1) {
      const std::size_t inner =
          state_.take_any_shape(modules_.attention[1] + ".fn.to_q.0.weight", 2).shape[1];
      config_.inner_channels = inner == config_.channels ? 0 : inner;
    }
    read_input();
  }

  void read_input() {
    if (options_.fields.empty()) config_.input.fields = {{"features", config_.channels}};
    for (const std::string& field : options_.fields) config_.input.fields.push_back({field});
  }

  /// Stacks the heads' matrices [D × C] to [H·D × C].
  Tensor stack_heads(const std::string& prefix, std::size_t width) {
    Tensor stacked{{config_.heads * config_.head_width, width}, {}};
    for (std::size_t head = 0; head < config_.heads; ++head) {
      const Tensor& one = state_.take(prefix + std::to_string(head) + ".weight", {config_.head_width, width});
      stacked.values.insert(stacked.values.end(), one.values.begin(), one.values.end());
    }
    return stacked;
  }

  void copy_linear(const std::string& from, const std::string& to, std::size_t out, std::size_t in) {
    tensors_[to + ".weight"] = state_.take(from + ".weight", {out, in});
    tensors_[to + ".bias"] = state_.take(from + ".bias", {out});
  }

  void copy_norm(const std::string& from, const std::string& to, std::size_t width) {
    tensors_[to + ".weight"] = state_.take(from + ".weight", {width});
    tensors_[to + ".bias"] = state_.take(from + ".bias", {width});
  }

  void read_attention(std::size_t layer) {
    const std::string from = modules_.attention[layer] + ".fn.", to = attention_name(layer);
    const std::size_t width = config_.width_in(layer), inner = config_.heads * config_.head_width;
    tensors_[to + ".query.weight"] = stack_heads(from + "to_q.", width);
    tensors_[to + ".key.weight"] = stack_heads(from + "to_k.", width);
    tensors_[to + ".value.weight"] = stack_heads(from + "to_v.", width);
    if (config_.output_intermediate == 0) {
      copy_linear(from + "w_o", to + ".output", width, inner);
    } else {
      copy_linear(from + "w_o_1", to + ".output.0", config_.output_intermediate, inner);
      copy_linear(from + "w_o_2", to + ".output.1", width, config_.output_intermediate);
    }
    copy_norm(modules_.attention[layer] + ".norm", to + ".norm", width);
  }

  void read_feed_forward(std::size_t layer) {
    const std::string from = modules_.feed_forward[layer], to = feed_forward_name(layer);
    const std::size_t in = config_.width_in(layer), out = config_.width_out(layer);
    copy_linear(from + ".fn.w_1", to + ".0", config_.feed_forward, in);
    copy_linear(from + ".fn.w_2", to + ".1", out, config_.feed_forward);
    if (in != out) copy_linear(from + ".resample", to + ".resample", out, in);
    copy_norm(from + ".norm", to + ".norm", out);
  }

  void read_projections() {
    if (options_.full_attention) {
      config_.mechanism = Mechanism::full;
      for (const std::string& module : modules_.attention) state_.skip(module + ".fn.heads.");
      return;
    }
    config_.projection.kind = options_.method;
    Projections projections(config_.depth);
    for (std::size_t layer = 0; layer < config_.depth; ++layer)
      for (std::size_t head = 0; head < config_.heads; ++head)
        projections[layer].push_back(options_.method == Projection::fixed ? fixed_projections(layer, head)
                                                                          : stored_projections(layer, head));
    config_.projection.sharing = find_sharing(projections, options_.sharing);
    add_projections(projections, config_, tensors_);
  }

  HeadProjections stored_projections(std::size_t layer, std::size_t head) {
    const std::string name = modules_.attention[layer] + ".fn.heads." + std::to_string(head);
    HeadProjections result;
    result.name_e = name + ".E.weight";
    result.name_f = name + ".F.weight";
    result.bias_e = state_.take_any_shape(name + ".E.bias", 1);
    result.bias_f = state_.take_any_shape(name + ".F.bias", 1);
    const bool learned = options_.method == Projection::learned;
    result.weight_e = learned ? learned_weight(result.name_e, result.bias_e->shape[0])
                              : state_.take_any_shape(result.name_e, 3);
    result.weight_f = learned ? learned_weight(result.name_f, result.bias_f->shape[0])
                              : state_.take_any_shape(result.name_f, 3);
    return result;
  }

  const Tensor& learned_weight(const std::string& name, std::size_t k) {
    const Tensor& weight = state_.take_any_shape(name, 2);
    if (weight.shape[0] != k)
      throw ModelError("tensor " + name + " has shape " + shape_text(weight.shape) + ", its bias has " +
                       std::to_string(k) + " numbers; expected [k, n] = " +
                       shape_text({k, weight.shape[weight.shape[1] == k ? 0 : 1]}));
    return weight;
  }

  HeadProjections fixed_projections(std::size_t layer, std::size_t head) {
    const std::string shared = "fixed_projection";
    const std::string own = shared + "." + std::to_string(layer * config_.heads + head);
    HeadProjections result;
    result.name_e = state_.has(shared) ? shared : own + ".E";
    result.name_f = state_.has(shared) ? shared : own + ".F";
    result.weight_e = transposed(state_.take_any_shape(result.name_e, 2));
    result.weight_f = transposed(state_.take_any_shape(result.name_f, 2));
    return result;
  }

  static Tensor transposed(const Tensor& tensor) {
    const std::size_t rows = tensor.shape[0], columns = tensor.shape[1];
    Tensor result{{columns, rows}, std::vector<float>(tensor.values.size())};
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) result.values[c * rows + r] = tensor.values[r * columns + c];
    return result;
  }

  StateDict& state_;
  const LinformerPytorchOptions& options_;
  ModelConfig config_;
  TensorMap tensors_;
  Modules modules_;
};

/// Returns the prefix under which a Linformer begins.
std::string find_prefix(const SafetensorsFile& file, const std::string& given) {
  if (!given.empty()) return given;
  for (const char* prefix : {"", "net.", "linformer.", "net.linformer."})
    for (const auto& [name, tensor] : file.tensors)
      if (name.rfind(std::string(prefix) + "seq.0.", 0) == 0) return prefix;
  return "";
}

/// Tensors that belong to the network wherever the prefix points.
void add_constants(const SafetensorsFile& from, const std::string& prefix, SafetensorsFile& to) {
  for (const auto& [name, tensor] : from.tensors)
    if (name.rfind("fixed_projection", 0) == 0) to.tensors[prefix + name] = tensor;
}

}  // namespace

ModelPtr import_linformer_pytorch(const std::string& path, const LinformerPytorchOptions& options) {
  SafetensorsFile file = read_safetensors(path);
  const std::string prefix = find_prefix(file, options.prefix);
  if (options.method == Projection::fixed && !prefix.empty())
    add_constants(SafetensorsFile(file), prefix, file);
  try {
    StateDict state(file, prefix);
    return LinformerReader(state, options).read();
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace pcl_attention
