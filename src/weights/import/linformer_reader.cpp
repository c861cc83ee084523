// SPDX-License-Identifier: BSD-3-Clause
#include "weights/import/linformer_reader.h"

#include <utility>

#include "pcl_attention/error.h"
#include "weights/import/linformer_head.h"
#include "weights/import/linformer_projections.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

/// Names of a residual module and of the function inside it, each with its final dot.
struct Module {
  std::string residual, function;
};

/// Attention modules in their sequence, each followed by its feed-forward if there are any.
struct Modules {
  std::vector<Module> attention, feed_forward;
};

Tensor identity(std::size_t width) {
  Tensor result{{width, width}, std::vector<float>(width * width, 0.0F)};
  for (std::size_t i = 0; i < width; ++i) result.values[i * width + i] = 1.0F;
  return result;
}

class LinformerReader {
 public:
  LinformerReader(StateDict& state, const LinformerRoot& root, const LinformerPytorchOptions& options)
      : state_(state), root_(root), options_(options) {}

  ModelPtr read() {
    set_options();
    find_modules();
    if (root_.kind == LinformerRoot::Class::head)
      read_head();
    else
      read_layers();
    read_projections();
    read_ends();
    state_.finish();
    return std::make_shared<Model>(config_, std::move(tensors_));
  }

 private:
  void set_options() {
    config_.name = "linformer-pytorch";
    config_.embedding = Embedding::identity;
    config_.order = Curve::none;
    config_.activation = options_.activation;
    config_.mechanism = options_.full_attention ? Mechanism::full : Mechanism::linformer;
    config_.causal = options_.causal;
    config_.decoder = options_.decoder;
    config_.masked_points = options_.masked_points;
    config_.dropout = options_.dropout;
    config_.feed_forward_dropout = options_.feed_forward_dropout;
    if (root_.padded) config_.projection.length_policy = LengthPolicy::pad;
    if (root_.kind == LinformerRoot::Class::linformer) return;
    config_.norm = NormPlacement::none;
    config_.feed_forward = 0;
    config_.name += root_.kind == LinformerRoot::Class::head ? " LinearAttentionHead" : " MHAttention";
  }

  void find_modules() {
    if (root_.kind != LinformerRoot::Class::linformer) {
      modules_.attention.push_back({"", root_.network});
      return;
    }
    for (std::size_t i = 0;; ++i) {
      const std::string name = root_.network + "seq." + std::to_string(i) + ".";
      if (!state_.has_any(name)) break;
      const bool feed_forward = state_.has_any(name + "fn.w_1.");
      (feed_forward ? modules_.feed_forward : modules_.attention).push_back({name, name + "fn."});
    }
    if (modules_.attention.empty())
      throw ModelError("tensor " + root_.prefix +
                       "seq.0.fn.to_q.0.weight is missing: no Linformer, MHAttention or LinearAttentionHead "
                       "begins here; if the names start otherwise, give their prefix");
    if (options_.decoder && modules_.attention.size() % 2 != 0)
      throw ModelError("found " + std::to_string(modules_.attention.size()) +
                       " attention modules; a decoder has two for each depth, to itself and to the surface");
    if (!modules_.feed_forward.empty() && modules_.feed_forward.size() != modules_.attention.size())
      throw ModelError("found " + std::to_string(modules_.attention.size()) + " attention modules and " +
                       std::to_string(modules_.feed_forward.size()) +
                       " feed-forward modules, expected one for each or none");
  }

  void read_layers() {
    read_shapes();
    for (std::size_t layer = 0; layer < config_.depth; ++layer) {
      read_attention(layer);
      if (config_.feed_forward != 0) read_feed_forward(layer);
    }
  }

  void read_shapes() {
    config_.depth = modules_.attention.size();
    const std::string attention = modules_.attention[0].function;
    config_.heads = state_.count(attention + "to_q.", ".weight");
    const Tensor& query = state_.take_any_shape(attention + "to_q.0.weight", 2);
    config_.head_width = query.shape[0];
    config_.channels = query.shape[1];
    if (state_.has(attention + "w_o_1.weight"))
      config_.output_intermediate = state_.take_any_shape(attention + "w_o_1.weight", 2).shape[0];
    config_.feed_forward = 0;
    if (!modules_.feed_forward.empty())
      config_.feed_forward =
          state_.take_any_shape(modules_.feed_forward[0].function + "w_1.weight", 2).shape[0];
    if (config_.depth > 1) {
      const std::size_t inner =
          state_.take_any_shape(modules_.attention[1].function + "to_q.0.weight", 2).shape[1];
      config_.inner_channels = inner == config_.channels ? 0 : inner;
    }
    check_heads(attention);
  }

  /// The output matrix tells how many heads there should be.
  void check_heads(const std::string& attention) {
    const std::string name = attention + (config_.output_intermediate == 0 ? "w_o.weight" : "w_o_1.weight");
    const std::size_t columns = state_.take_any_shape(name, 2).shape[1];
    const std::string found = "found " + std::to_string(config_.heads) + " heads of width " +
                              std::to_string(config_.head_width) + " (" + state_.full_name(attention) +
                              "to_q.0 … " + std::to_string(config_.heads - 1) + ")";
    if (columns != config_.heads * config_.head_width)
      throw ModelError(found + ", but " + state_.full_name(name) + " takes " + std::to_string(columns) +
                       " numbers: tensors of a head are missing or too many");
    if (options_.heads && *options_.heads != config_.heads)
      throw ModelError(found + ", not " + std::to_string(*options_.heads) +
                       " as asked for: leave the number of heads out, the names tell it");
  }

  /// A head has no matrices of its own: they become identities, which change no bit.
  void read_head() {
    config_.heads = config_.depth = 1;
    if (options_.heads.value_or(1) != 1) throw ModelError("a LinearAttentionHead is one head");
    config_.head_width = options_.head_width.value_or(options_.fields.size());
    if (config_.head_width == 0)
      throw ModelError("the tensors of a LinearAttentionHead do not tell its width: give it, or name fields");
    config_.channels = config_.head_width;
    for (const char* part : {".query", ".key", ".value", ".output"})
      tensors_[attention_name(0) + part + ".weight"] = identity(config_.head_width);
    tensors_[attention_name(0) + ".output.bias"] = {{config_.head_width},
                                                    std::vector<float>(config_.head_width, 0.0F)};
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
    const std::string from = modules_.attention[layer].function, to = attention_name(layer);
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
    if (config_.norm != NormPlacement::none)
      copy_norm(modules_.attention[layer].residual + "norm", to + ".norm", width);
  }

  void read_feed_forward(std::size_t layer) {
    const Module& from = modules_.feed_forward[layer];
    const std::string to = feed_forward_name(layer);
    const std::size_t in = config_.width_in(layer), out = config_.width_out(layer);
    copy_linear(from.function + "w_1", to + ".0", config_.feed_forward, in);
    copy_linear(from.function + "w_2", to + ".1", out, config_.feed_forward);
    if (in != out) copy_linear(from.residual + "resample", to + ".resample", out, in);
    copy_norm(from.residual + "norm", to + ".norm", out);
  }

  /// Input channels, and in a ProjectInOut the maps to and from the network's width.
  void read_ends() {
    std::size_t inputs = config_.channels;
    if (state_.has("project_in.weight")) {
      inputs = state_.take_any_shape("project_in.weight", 2).shape[1];
      config_.embedding = Embedding::linear;
      copy_linear("project_in", "embedding", config_.channels, inputs);
    }
    if (state_.has("project_out.weight")) {
      config_.head_output = state_.take_any_shape("project_out.weight", 2).shape[0];
      copy_linear("project_out", "head", config_.head_output, config_.channels);
    }
    if (options_.fields.empty()) config_.input.fields = {{"features", inputs}};
    for (const std::string& field : options_.fields) config_.input.fields.push_back({field});
  }

  std::string head_name(std::size_t layer, std::size_t head) const {
    const std::string& function = modules_.attention[layer].function;
    return root_.kind == LinformerRoot::Class::head ? function
                                                    : function + "heads." + std::to_string(head) + ".";
  }

  void read_projections() {
    if (options_.full_attention) {
      for (std::size_t layer = 0; layer < config_.depth; ++layer)
        for (std::size_t head = 0; head < config_.heads; ++head)
          for (const char* part : {"E.", "F."}) state_.skip(head_name(layer, head) + part);
      state_.skip("fixed_projection");
      return;
    }
    config_.projection.kind = options_.method;
    const bool constants = options_.method == Projection::fixed;
    Projections projections(config_.depth);
    for (std::size_t layer = 0; layer < config_.depth; ++layer)
      for (std::size_t head = 0; head < config_.heads; ++head)
        projections[layer].push_back(
            constants ? read_head_constants(state_, layer * config_.heads + head)
                      : read_head_projections(state_, head_name(layer, head), options_.method));
    config_.projection.sharing = find_sharing(projections, options_.sharing);
    add_projections(projections, config_, tensors_);
  }

  StateDict& state_;
  const LinformerRoot& root_;
  const LinformerPytorchOptions& options_;
  ModelConfig config_;
  TensorMap tensors_;
  Modules modules_;
};

}  // namespace

ModelPtr read_linformer(StateDict& state, const LinformerRoot& root, const LinformerPytorchOptions& options) {
  return LinformerReader(state, root, options).read();
}

}  // namespace pcl_attention
