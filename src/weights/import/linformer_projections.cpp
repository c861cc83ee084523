// SPDX-License-Identifier: BSD-3-Clause
#include "weights/import/linformer_projections.h"

#include <set>
#include <utility>

#include "pcl_attention/error.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

bool same(const Tensor& a, const Tensor& b) { return a.shape == b.shape && a.values == b.values; }

bool same(const std::optional<Tensor>& a, const std::optional<Tensor>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same_e(const HeadProjections& a, const HeadProjections& b) {
  return same(a.weight_e, b.weight_e) && same(a.bias_e, b.bias_e);
}

bool same_f(const HeadProjections& a, const HeadProjections& b) {
  return same(a.weight_f, b.weight_f) && same(a.bias_f, b.bias_f);
}

bool e_is_f(const HeadProjections& head) {
  return same(head.weight_e, head.weight_f) && same(head.bias_e, head.bias_f);
}

/// Two tensors that a sharing mode makes one, and that differ.
using Conflict = std::optional<std::pair<std::string, std::string>>;

Conflict find_conflict(const Projections& projections, Sharing sharing) {
  if (sharing == Sharing::none) return {};
  for (const auto& layer : projections) {
    const HeadProjections& first = sharing == Sharing::layerwise ? projections[0][0] : layer[0];
    for (const HeadProjections& head : layer) {
      if (!same_e(head, first)) return {{head.name_e, first.name_e}};
      if (!same_f(head, first)) return {{head.name_f, first.name_f}};
      if (sharing != Sharing::headwise && !e_is_f(head)) return {{head.name_f, head.name_e}};
    }
  }
  return {};
}

/// Trained on their own, two projections never agree: a pair that does says that more should.
void refuse_partial_sharing(const Projections& projections) {
  for (const auto& layer : projections)
    for (std::size_t head = 1; head < layer.size(); ++head)
      if (same_e(layer[head], layer[0]) || same_f(layer[head], layer[0]))
        if (const Conflict conflict = find_conflict(projections, Sharing::headwise))
          throw ModelError("tensors " + conflict->first + " and " + conflict->second +
                           " differ, but other projections of these heads repeat each other: the copies of a "
                           "shared projection must be equal");
}

void set_sizes(const Projections& projections, bool decoder, ProjectionConfig& config) {
  if (config.kind == Projection::convolution) {
    config.strides.clear();
    for (const auto& layer : projections) config.strides.push_back(layer[0].weight_e.shape[2]);
    if (std::set<std::size_t>(config.strides.begin(), config.strides.end()).size() == 1)
      config.strides.resize(1);
    return;
  }
  const Tensor& first = projections[0][0].weight_e;
  config.k = first.shape[0];
  config.length = first.shape[1];
  const std::size_t next = decoder ? 2 : 1;
  if (config.sharing != Sharing::layerwise && projections.size() > next) {
    const std::size_t second = projections[next][0].weight_e.shape[0];
    config.k_reduce_by_layer = second < config.k ? config.k - second : 0;
  }
}

std::vector<std::size_t> shape_of(const ModelConfig& config, std::size_t layer) {
  if (config.projection.kind == Projection::convolution)
    return {config.head_width, config.head_width, config.stride(layer)};
  return {config.projected_rows(layer), config.projection.length};
}

}  // namespace

Sharing find_sharing(const Projections& projections, const std::optional<Sharing>& given) {
  if (given) {
    if (const Conflict conflict = find_conflict(projections, *given))
      throw ModelError("tensors " + conflict->first + " and " + conflict->second +
                       " differ, but the sharing mode makes them one");
    return *given;
  }
  for (Sharing sharing : {Sharing::layerwise, Sharing::kv, Sharing::headwise})
    if (!find_conflict(projections, sharing)) return sharing;
  refuse_partial_sharing(projections);
  return Sharing::none;
}

void add_projections(const Projections& projections, ModelConfig& config, TensorMap& tensors) {
  set_sizes(projections, config.decoder, config.projection);
  for (std::size_t layer = 0; layer < projections.size(); ++layer) {
    const std::vector<std::size_t> shape = shape_of(config, layer);
    for (std::size_t head = 0; head < projections[layer].size(); ++head) {
      const HeadProjections& source = projections[layer][head];
      const auto add = [&](const std::string& name, const std::string& source_name, const Tensor& weight,
                           const std::optional<Tensor>& bias) {
        if (weight.shape != shape)
          throw ModelError("tensor " + source_name + " has shape " + shape_text(weight.shape) +
                           ", expected " + shape_text(shape));
        tensors[name + ".weight"] = weight;
        if (bias) tensors[name + ".bias"] = *bias;
      };
      const ProjectionNames names = projection_names(config, layer, head);
      add(names.key, source.name_e, source.weight_e, source.bias_e);
      add(names.value, source.name_f, source.weight_f, source.bias_f);
    }
  }
}

}  // namespace pcl_attention
