// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "pcl_attention/pcl/canonical_order.h"
#include "pcl_attention/pcl/impl/pcl_filter_bodies.hpp"

namespace pcl_attention {

template <typename PointT>
void CanonicalOrder<PointT>::order(pcl::Indices& indices) {
  this->removed_indices_->clear();
  if (this->keep_organized_)
    throw std::invalid_argument("keep-organised is set: an order has no rows and columns");
  if (this->negative_) throw std::invalid_argument("negative is set: an order has no opposite set of points");
  CloudView cloud = view_of(*this->input_);
  select(*this->indices_, cloud);
  const std::vector<std::uint32_t> points = ranked_points(cloud, options_);
  std::vector<bool> has_rank(this->indices_->size(), false);
  indices.clear();
  indices.reserve(points.size());
  for (const std::uint32_t point : points) {
    has_rank[point] = true;
    indices.push_back((*this->indices_)[point]);
  }
  if (!this->extract_removed_indices_) return;
  for (std::size_t i = 0; i < has_rank.size(); ++i)
    if (!has_rank[i]) this->removed_indices_->push_back((*this->indices_)[i]);
}

template <typename PointT>
void CanonicalOrder<PointT>::applyFilter(pcl::Indices& indices) {
  if (!guard("CanonicalOrder::filter", [&] { order(indices); })) indices.clear();
}

template <typename PointT>
void CanonicalOrder<PointT>::applyFilter(Cloud& output) {
  const bool good = guard("CanonicalOrder::filter", [&] {
    pcl::Indices indices;
    order(indices);
    copy_points(*this->input_, indices, output);
    set_dense(output);
  });
  if (!good) make_empty(output);
}

}  // namespace pcl_attention
