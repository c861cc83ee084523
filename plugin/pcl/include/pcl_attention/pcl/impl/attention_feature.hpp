// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <stdexcept>

#include "pcl_attention/pcl/attention_feature.h"
#include "pcl_attention/pcl/cloud_contract.h"
#include "pcl_attention/pcl/impl/pcl_feature_bodies.hpp"
#include "pcl_attention/pcl/output_field.h"

namespace pcl_attention {

template <typename PointInT, typename PointOutT>
void AttentionFeature<PointInT, PointOutT>::setOutputField(const std::string& name) {
  find_output_field(fields_of(pcl::getFields<PointOutT>()), name);
  output_field_ = name;
}

// What can be refused is refused here: Feature::compute() gives an empty output then.
template <typename PointInT, typename PointOutT>
bool AttentionFeature<PointInT, PointOutT>::initCompute() {
  return guard(functionName(), [&] {
    begin();
    if (this->input_ == nullptr) throw std::invalid_argument("no input: call setInputCloud() first");
    if (!pcl::PCLBase<PointInT>::initCompute()) throw std::invalid_argument("PCLBase refused the input");
    const Field field = find_output_field(fields_of(pcl::getFields<PointOutT>()), output_field_);
    check_output_width(field, *getModel());
    output_offset_ = field.offset;
  });
}

template <typename PointInT, typename PointOutT>
void AttentionFeature<PointInT, PointOutT>::computeFeature(PointCloudOut& output) {
  const bool good = guard(functionName(), [&] {
    estimate(output);
    output.sensor_origin_ = this->input_->sensor_origin_;
    output.sensor_orientation_ = this->input_->sensor_orientation_;
  });
  if (!good) make_empty(output);
}

template <typename PointInT, typename PointOutT>
void AttentionFeature<PointInT, PointOutT>::writeRows(const std::vector<float>& rows,
                                                      PointCloudOut& output) const {
  const std::size_t width = getModel()->config().output_width();
  for (std::size_t i = 0; i < output.size(); ++i)
    std::memcpy(reinterpret_cast<std::byte*>(&output[i]) + output_offset_, rows.data() + i * width,
                width * sizeof(float));
  output.is_dense = pcl_attention::is_dense(rows);
}

}  // namespace pcl_attention
