// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/pcl/attention_estimation.h"

namespace pcl_attention {

template <typename PointInT, typename PointOutT>
void AttentionEstimation<PointInT, PointOutT>::estimate(PointCloudOut& output) {
  const pcl::Indices& indices = *this->indices_;
  EncodeInput input;
  CloudView queries;
  if (this->hasForeignSurface()) {
    input.surface = view_of(*this->surface_);
    queries = view_of(*this->input_);
    select(indices, queries);
    input.queries = &queries;
  } else {
    input.surface = view_of(*this->input_);
    input.query_points = this->fake_indices_ ? nullptr : data_of(indices);
    input.num_query_points = indices.size();
  }
  this->writeRows(this->encode(input), output);
}

}  // namespace pcl_attention
