// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/pcl/attention_global_estimation.h"

namespace pcl_attention {

template <typename PointInT, typename PointOutT>
void AttentionGlobalEstimation<PointInT, PointOutT>::estimate(PointCloudOut& output) {
  CloudView cloud = view_of(*this->input_);
  if (!this->fake_indices_) select(*this->indices_, cloud);
  EncodeInput input;
  input.surface = this->hasForeignSurface() ? view_of(*this->surface_) : cloud;
  input.queries = this->hasForeignSurface() ? &cloud : nullptr;
  const std::size_t num_rows = cloud.num_points() == 0 ? 0 : 1;
  output.resize(num_rows);
  output.width = output.height = static_cast<std::uint32_t>(num_rows);
  this->writeRows(num_rows == 0 ? std::vector<float>() : this->pool(input, cloud, pooling_), output);
}

}  // namespace pcl_attention
