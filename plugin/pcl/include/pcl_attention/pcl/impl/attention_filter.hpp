// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/pcl/attention_filter.h"
#include "pcl_attention/pcl/impl/pcl_filter_bodies.hpp"
#include "pcl_attention/pcl/written_fields.h"

namespace pcl_attention {

template <typename PointT>
void AttentionFilter<PointT>::applyFilter(Cloud& output) {
  if (!guard("AttentionFilter::filter", [&] { rewrite(output); })) make_empty(output);
}

template <typename PointT>
void AttentionFilter<PointT>::rewrite(Cloud& output) {
  begin();
  const CloudView cloud = view_of(*this->input_);
  const std::size_t width = getModel()->config().output_width();
  std::vector<std::string> names = output_fields_;
  if (!names.empty() || added_fields_.empty()) written_fields(cloud, names, width);
  const std::vector<float>& rows =
      encodeAll(cloud, this->fake_indices_ ? nullptr : data_of(*this->indices_), this->indices_->size());

  with_fields(*this->input_, added_fields_, output);
  names.insert(names.end(), added_fields_.begin(), added_fields_.end());
  const CloudView written = view_of(output);
  write_rows(written, written_fields(written, names, width), rows, width, bytes_of(output));
  set_dense(output);
}

}  // namespace pcl_attention
