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
Index num_seen(const Summary& summary, const AskedRows& asked, Index row) {
  if (summary.places.empty()) return summary.rows();
  const Index place = asked.places[static_cast<std::size_t>(row)];
  const auto end = std::upper_bound(summary.places.begin(), summary.places.end(), place);
  return end - summary.places.begin();
}

/// Adds factor · ‖p − a_j‖² to the scores of the anchors.
void add_distances(const double* position, const Matrix& anchors, double factor,
                   Eigen::Ref<RowVector> scores) {
  for (Index j = 0; j < scores.size(); ++j) {
    double squared = 0.0;
    for (Index axis = 0; axis < 3; ++axis)
      squared += (position[axis] - anchors(j, axis)) * (position[axis] - anchors(j, axis));
    scores(j) += factor * squared;
  }
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
  if (weights.query_norm.weight != nullptr) {
    query_norm_ = LayerNorm(weights.query_norm);
    key_norm_ = LayerNorm(weights.key_norm);
  }
  if (weights.slots != nullptr) slots_ = Linear({weights.slots, nullptr}).transposed().transpose();
  if (config_.mechanism == Mechanism::anchored)
    for (double sigma : anchor_sigmas(config_, weights)) anchor_factor_.push_back(-0.5 / (sigma * sigma));
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

RowVector Layer::slot_scores(const RowVector& key, const double* position, const Matrix& anchors,
                             Index num_slots, Index head) const {
  const Index first = head * head_width();
  RowVector scores = RowVector::Zero(num_slots);
  for (Index j = 0; j < num_slots; ++j)
    scores(j) = slots_.row(j).segment(first, head_width()).dot(key.segment(first, head_width()));
  scores /= std::sqrt(static_cast<double>(head_width()));
  if (anchors.rows() != 0)
    add_distances(position, anchors, anchor_factor_[static_cast<std::size_t>(head)], scores);
  return scores;
}

/// Writes the softmax weights of one query of the head, short of the division by their sum, which is
/// returned.
double Layer::weigh(const AskedRows& asked, const Matrix& q, Index row, Index head, const Summary& summary,
                    Eigen::Ref<RowVector> scores) const {
  scores.setZero();
  for (Index c = head * head_width(); c < (head + 1) * head_width(); ++c)
    scores += q(row, c) * summary.keys_transposed.row(c).head(scores.size());
  scores /= std::sqrt(static_cast<double>(head_width()));
  if (summary.anchors.rows() != 0)
    add_distances(asked.positions.row(row).data(), summary.anchors,
                  anchor_factor_[static_cast<std::size_t>(head)], scores);
  return exponentiate(scores, summary);
}

Matrix Layer::weights(const AskedRows& asked, const Summary& summary, std::size_t head) const {
  const Matrix q = queries(asked.x);
  Matrix result = Matrix::Zero(q.rows(), summary.rows());
  RowVector all_scores(summary.rows());
  for (Index row = 0; row < q.rows(); ++row) {
    auto scores = all_scores.head(num_seen(summary, asked, row));
    const double sum = weigh(asked, q, row, index(head), summary, scores);
    if (sum != 0.0) result.row(row).head(scores.size()) = scores / sum;
  }
  return result;
}

Matrix Layer::output(const Matrix& heads) const {
  return output_second_.exists() ? output_second_(output_(heads)) : output_(heads);
}

Matrix Layer::attend(const AskedRows& asked, const Summary& summary) const {
  const Matrix q = queries(asked.x);
  Matrix heads = Matrix::Zero(q.rows(), q.cols());
  RowVector all_scores(summary.rows());
  for (Index row = 0; row < q.rows(); ++row) {
    auto scores = all_scores.head(num_seen(summary, asked, row));
    for (Index head = 0; head < index(config_.heads); ++head) {
      const double sum = weigh(asked, q, row, head, summary, scores);
      if (sum == 0.0) continue;
      auto out = heads.row(row).segment(head * head_width(), head_width());
      for (Index j = 0; j < scores.size(); ++j)
        out += scores(j) * summary.values.row(j).segment(head * head_width(), head_width());
      out /= sum;
    }
  }
  return output(heads);
}

Layer::QueryFeatures Layer::query_features(const AskedRows& asked, const Summary& summary,
                                           std::size_t head) const {
  const Matrix q = queries(asked.x);
  QueryFeatures result;
  for (Index row = 0; row < q.rows(); ++row) {
    const RowVector query = q.row(row).segment(index(head) * head_width(), head_width());
    RowVector phi(kernel_.num_features());
    kernel_.features(query, kernel_.shift(query), phi);
    const double denominator = phi.dot(summary.mass.col(index(head)));
    const bool vanishes =
        kernel_.vanishes(denominator, query.squaredNorm(), summary.key_squares(index(head)));
    result.phi.push_back(std::move(phi));
    result.denominator.push_back(vanishes ? 0.0 : denominator);
  }
  return result;
}

AnsweredRows Layer::attend_features(const AskedRows& asked, const Summary& summary) const {
  const Index width = index(config_.value_width());
  AnsweredRows result{Matrix::Zero(asked.x.rows(), summary.values.cols())};
  for (std::size_t head = 0; head < config_.heads; ++head) {
    const QueryFeatures features = query_features(asked, summary, head);
    for (Index row = 0; row < asked.x.rows(); ++row) {
      const double denominator = features.denominator[static_cast<std::size_t>(row)];
      if (denominator == 0.0) {
        ++result.guarded;
        continue;
      }
      const RowVector& phi = features.phi[static_cast<std::size_t>(row)];
      auto out = result.y.row(row).segment(index(head) * width, width);
      for (Index f = 0; f < phi.size(); ++f)
        out += phi(f) * summary.values.row(f).segment(index(head) * width, width);
      out /= denominator;
    }
  }
  result.y = output(result.y);
  return result;
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
