// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "attention/networks.h"

namespace pcl_attention::test {

/// Every mechanism in several shapes of network.
inline std::vector<NamedConfig> all_networks() {
  std::vector<NamedConfig> networks = all_mechanisms();
  const auto add = [&](const char* name, const std::function<void(ModelConfig&)>& change) {
    NamedConfig named{name, small_config()};
    change(named.config);
    networks.push_back(named);
  };
  add("pre_norm", [](ModelConfig& c) { c.norm = NormPlacement::pre; });
  add("relu", [](ModelConfig& c) { c.activation = Activation::relu; });
  add("no_feed_forward", [](ModelConfig& c) { c.feed_forward = 0; });
  add("two_outputs", [](ModelConfig& c) { c.output_intermediate = 50; });
  add("head", [](ModelConfig& c) { c.head_output = 17; });
  add("inner", [](ModelConfig& c) { c.inner_channels = 21, c.norm = NormPlacement::pre; });
  add("rank", [](ModelConfig& c) { c.position_encoding = PositionEncoding::rank; });
  add("one_of_everything", [](ModelConfig& c) {
    c.channels = c.heads = c.head_width = c.depth = c.feed_forward = c.projection.k = 1;
  });
  add("many_slots", [](ModelConfig& c) { c.projection.k = 301, c.projection.sharing = Sharing::none; });
  add("wide",
      [](ModelConfig& c) { c.channels = 70, c.head_width = 33, c.feed_forward = 65, c.projection.k = 129; });
  add("flat_grid", [](ModelConfig& c) {
    c.projection.kind = Projection::position, c.projection.anchor_grid = {9, 7, 1};
  });
  add("causal_linformer", [](ModelConfig& c) { c.causal = CausalMask::legacy; });
  add("causal_full", [](ModelConfig& c) { c.causal = CausalMask::legacy, c.mechanism = Mechanism::full; });
  add("deep_full", [](ModelConfig& c) { c.depth = 4, c.mechanism = Mechanism::full; });
  add("zeroed_full",
      [](ModelConfig& c) { c.masked_points = MaskedPoints::zeroed, c.mechanism = Mechanism::full; });
  add("anchored_learned", [](ModelConfig& c) {
    c.mechanism = Mechanism::anchored, c.anchor_sigmas.clear(), c.slots = 200, c.norm = NormPlacement::pre;
  });
  add("anchored_given", [](ModelConfig& c) {
    c.mechanism = Mechanism::anchored, c.anchor_sigmas = {0.05, 0.3, 1.0}, c.head_output = 3;
  });
  add("many_inducing", [](ModelConfig& c) { c.mechanism = Mechanism::inducing, c.slots = 201; });
  const auto add_values = [&](const char* name, Similarity similarity) {
    add(name, [&](ModelConfig& c) { c = with_kernel(similarity), c.kernel.value_width = 9; });
    if (similarity == Similarity::quadratic) networks.back().tolerance = kNearZero;
  };
  add_values("elu_values", Similarity::elu);
  add_values("quadratic_values", Similarity::quadratic);
  add_values("taylor_values", Similarity::taylor);
  add_values("favor_values", Similarity::favor);
  add("quadratic_constant",
      [](ModelConfig& c) { c = with_kernel(Similarity::quadratic), c.kernel.constant = true; });
  add("rebased_constant", [](ModelConfig& c) {
    c.mechanism = Mechanism::kernel, c.kernel.similarity = Similarity::rebased, c.kernel.constant = true;
    c.head_width = 18;
  });
  add("attention_alone", [](ModelConfig& c) { c.norm = NormPlacement::none, c.feed_forward = 0; });
  return networks;
}

}  // namespace pcl_attention::test
