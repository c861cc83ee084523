// SPDX-License-Identifier: BSD-3-Clause
#include "reference/layer.h"

namespace pcl_attention::reference {
namespace {

double relu(double x) { return x > 0.0 ? x : 0.0; }

}  // namespace

Layer::Layer(const Model& model, std::size_t layer, ProjectionCache& cache) : config_(model.config()) {
  const LayerWeights weights = layer_weights(model, layer);
  query_ = Linear(weights.query);
  key_ = Linear(weights.key);
  value_ = Linear(weights.value);
  output_ = Linear(weights.output);
  output_second_ = Linear(weights.output_second);
  if (config_.norm != NormPlacement::none) attention_norm_ = LayerNorm(weights.attention_norm);
  if (weights.query_norm.weight != nullptr) {
    query_norm_ = LayerNorm(weights.query_norm);
    key_norm_ = LayerNorm(weights.key_norm);
  }
  if (weights.slots != nullptr) slots_ = Linear({weights.slots, nullptr}).transposed().transpose();
  if (config_.mechanism == Mechanism::anchored)
    for (double sigma : anchor_sigmas(config_, weights)) anchor_factor_.push_back(-0.5 / (sigma * sigma));
  position_ = PositionMap(weights.position);
  if (config_.mechanism == Mechanism::kernel) kernel_ = Kernel(config_, weights);
  for (const LinearWeights& projection : weights.projections) {
    std::shared_ptr<const Linear>& cached = cache[projection.weight];
    if (cached == nullptr) cached = std::make_shared<Linear>(projection);
    projections_.push_back(cached);
  }
  key_projection_ = weights.key_projection;
  value_projection_ = weights.value_projection;
  if (config_.feed_forward == 0) return;
  feed_forward_in_ = Linear(weights.feed_forward_in);
  feed_forward_out_ = Linear(weights.feed_forward_out);
  resample_ = Linear(weights.resample);
  feed_forward_norm_ = LayerNorm(weights.feed_forward_norm);
}

Matrix Layer::attention_input(const Matrix& x) const {
  return config_.norm == NormPlacement::pre ? attention_norm_(x) : x;
}

Matrix Layer::queries(const Matrix& x) const {
  const Matrix q = query_(attention_input(x));
  return has_norms() ? query_norm_(q) : q;
}

Matrix Layer::output(const Matrix& heads) const {
  return output_second_.exists() ? output_second_(output_(heads)) : output_(heads);
}

Matrix Layer::feed_forward(const Matrix& x) const {
  const Matrix inner = feed_forward_in_(x);
  return feed_forward_out_(inner.unaryExpr(config_.activation == Activation::gelu ? &gelu : &relu));
}

AnsweredRows Layer::answer(const AskedRows& asked, const Summary& summary) const {
  AnsweredRows result = config_.mechanism == Mechanism::kernel ? attend_features(asked, summary)
                                                               : AnsweredRows{attend(asked, summary)};
  Matrix& y = result.y;
  if (config_.norm == NormPlacement::none) return result;
  const bool post = config_.norm == NormPlacement::post;
  y += asked.x;
  if (post) y = attention_norm_(y);
  if (config_.feed_forward == 0) return result;
  const Matrix change = feed_forward(post ? y : feed_forward_norm_(y));
  y = (resample_.exists() ? resample_(y) : y) + change;
  if (post) y = feed_forward_norm_(y);
  return result;
}

}  // namespace pcl_attention::reference
