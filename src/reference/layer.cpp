// SPDX-License-Identifier: BSD-3-Clause
#include "reference/layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcl_attention::reference {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

/// Turns scores into softmax weights that still lack the division; returns their sum, 0 if all are masked.
double exponentiate(Eigen::Ref<RowVector> scores, const Summary& summary) {
  double largest = kLowest, sum = 0.0;
  for (Index j = 0; j < scores.size(); ++j)
    if (!summary.is_masked(j)) largest = std::max(largest, scores(j));
  for (Index j = 0; j < scores.size(); ++j) {
    scores(j) = summary.is_masked(j) ? 0.0 : std::exp(scores(j) - largest);
    sum += scores(j);
  }
  return sum;
}

/// Returns how many of the summary's rows a point sees.
Index num_seen(const Summary& summary, const Index* places, Index row) {
  if (summary.places.empty()) return summary.rows();
  const auto end = std::upper_bound(summary.places.begin(), summary.places.end(), places[row]);
  return end - summary.places.begin();
}

/// Writes the softmax weights of one query of the head in columns `first` …, short of the division by their
/// sum, which is returned.
double weigh(const Matrix& q, Index row, Index first, Index width, const Summary& summary,
             Eigen::Ref<RowVector> scores) {
  scores.setZero();
  for (Index c = first; c < first + width; ++c)
    scores += q(row, c) * summary.keys_transposed.row(c).head(scores.size());
  return exponentiate(scores, summary);
}

double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }
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

Matrix Layer::scaled_queries(const Matrix& x) const {
  return query_(attention_input(x)) / std::sqrt(static_cast<double>(config_.head_width));
}

Matrix Layer::weights(const Matrix& x, const Summary& summary, const Index* places, std::size_t head) const {
  const Index width = index(config_.head_width);
  const Matrix q = scaled_queries(x);
  Matrix result = Matrix::Zero(q.rows(), summary.rows());
  RowVector all_scores(summary.rows());
  for (Index row = 0; row < q.rows(); ++row) {
    auto scores = all_scores.head(num_seen(summary, places, row));
    const double sum = weigh(q, row, index(head) * width, width, summary, scores);
    if (sum != 0.0) result.row(row).head(scores.size()) = scores / sum;
  }
  return result;
}

Matrix Layer::attend(const Matrix& x, const Summary& summary, const Index* places) const {
  const Index width = index(config_.head_width);
  const Matrix q = scaled_queries(x);
  Matrix heads = Matrix::Zero(q.rows(), q.cols());
  RowVector all_scores(summary.rows());
  for (Index row = 0; row < q.rows(); ++row) {
    auto scores = all_scores.head(num_seen(summary, places, row));
    for (Index first = 0; first < q.cols(); first += width) {
      const double sum = weigh(q, row, first, width, summary, scores);
      if (sum == 0.0) continue;
      auto out = heads.row(row).segment(first, width);
      for (Index j = 0; j < scores.size(); ++j)
        out += scores(j) * summary.values.row(j).segment(first, width);
      out /= sum;
    }
  }
  return output_second_.exists() ? output_second_(output_(heads)) : output_(heads);
}

Matrix Layer::feed_forward(const Matrix& x) const {
  const Matrix inner = feed_forward_in_(x);
  return feed_forward_out_(inner.unaryExpr(config_.activation == Activation::gelu ? &gelu : &relu));
}

Matrix Layer::answer(const Matrix& x, const Summary& summary, const Index* places) const {
  if (config_.norm == NormPlacement::none) return attend(x, summary, places);
  const bool post = config_.norm == NormPlacement::post;
  Matrix y = x + attend(x, summary, places);
  if (post) y = attention_norm_(y);
  if (config_.feed_forward == 0) return y;
  const Matrix change = feed_forward(post ? y : feed_forward_norm_(y));
  y = (resample_.exists() ? resample_(y) : y) + change;
  return post ? feed_forward_norm_(y) : y;
}

}  // namespace pcl_attention::reference
