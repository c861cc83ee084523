// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/pcl/attention_filter_indices.h"
#include "pcl_attention/pcl/impl/pcl_filter_bodies.hpp"

namespace pcl_attention {

template <typename PointT>
void AttentionFilterIndices<PointT>::choose(pcl::Indices& kept, pcl::Indices& removed) {
  begin();
  const pcl::Indices& indices = *this->indices_;
  CloudView cloud = view_of(*this->input_);
  select(indices, cloud);
  const std::vector<std::uint8_t> chosen = decide(cloud);
  kept.clear();
  removed.clear();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool keep = chosen[i] == (this->negative_ ? kLeftOut : kChosen);
    (keep ? kept : removed).push_back(indices[i]);
  }
}

template <typename PointT>
void AttentionFilterIndices<PointT>::applyFilter(pcl::Indices& indices) {
  pcl::Indices removed;
  if (!guard(this->filter_name_ + "::filter", [&] { choose(indices, removed); })) {
    indices.clear();
    removed.clear();
    forget();
  }
  if (!this->extract_removed_indices_) removed.clear();
  this->removed_indices_->swap(removed);
}

template <typename PointT>
void AttentionFilterIndices<PointT>::applyFilter(Cloud& output) {
  if (guard(this->filter_name_ + "::filter", [&] { write(output); })) return;
  make_empty(output);
  this->removed_indices_->clear();
  forget();
}

template <typename PointT>
void AttentionFilterIndices<PointT>::write(Cloud& output) {
  pcl::Indices kept, removed;
  choose(kept, removed);
  if (this->keep_organized_) {
    output = *this->input_;
    set_coordinates(removed, this->user_filter_value_, output);
  } else {
    copy_points(*this->input_, kept, output);
  }
  set_dense(output);
  if (!this->extract_removed_indices_) removed.clear();
  this->removed_indices_->swap(removed);
}

}  // namespace pcl_attention
