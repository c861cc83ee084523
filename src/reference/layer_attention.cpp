// SPDX-License-Identifier: BSD-3-Clause
// What a layer's points take from its summary, per head.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/layer.h"

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

}  // namespace

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
    kernel_.query_features(query, phi);
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

}  // namespace pcl_attention::reference
