// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/pcl/attention_estimation.h"

// The base's own templates, for point types that PCL's libraries do not hold.
#include <pcl/features/impl/feature.hpp>
#include <pcl/filters/impl/filter.hpp>
#include <pcl/filters/impl/filter_indices.hpp>
#include <pcl/impl/pcl_base.hpp>
#include <pcl/kdtree/impl/kdtree_flann.hpp>
#include <pcl/search/impl/kdtree.hpp>
#include <pcl/search/impl/organized.hpp>
#include <pcl/search/impl/search.hpp>

#include <cmath>
#include <cstring>
#include <exception>

#include "pcl_attention/pcl/cloud_view.h"
#include "pcl_attention/pcl/output_field.h"

namespace pcl_attention {

template <typename PointInT, typename PointOutT>
void AttentionEstimation<PointInT, PointOutT>::setOutputField(const std::string& name) {
  find_output_field(fields_of(pcl::getFields<PointOutT>()), name);
  output_field_ = name;
}

// Everything that can be refused is refused here: Feature::compute() gives an empty output then.
template <typename PointInT, typename PointOutT>
bool AttentionEstimation<PointInT, PointOutT>::initCompute() {
  try {
    begin();
    if (this->input_ == nullptr) throw std::invalid_argument("no input: call setInputCloud() first");
    if (!pcl::PCLBase<PointInT>::initCompute()) throw std::invalid_argument("PCLBase refused the input");
    const Field field = find_output_field(fields_of(pcl::getFields<PointOutT>()), output_field_);
    check_output_width(field, *getModel());
    output_offset_ = field.offset;
    return true;
  } catch (const std::exception& error) {
    fail(this->getClassName(), error.what());
    return false;
  }
}

template <typename PointInT, typename PointOutT>
void AttentionEstimation<PointInT, PointOutT>::computeFeature(PointCloudOut& output) {
  try {
    encodeInto(output);
  } catch (const std::exception& error) {
    fail(this->getClassName(), error.what());
    output.clear();
    output.is_dense = true;
  }
}

template <typename PointInT, typename PointOutT>
void AttentionEstimation<PointInT, PointOutT>::encodeInto(PointCloudOut& output) {
  static_assert(sizeof(pcl::index_t) == sizeof(std::int32_t), "pcl_attention needs PCL with 32-bit indices");
  const auto* const indices = reinterpret_cast<const std::int32_t*>(this->indices_->data());
  const std::size_t num_rows = this->indices_->size();
  const bool foreign = this->surface_ != nullptr && this->surface_ != this->input_;

  EncodeInput input;
  CloudView queries;
  if (foreign) {
    input.surface = view_of(*this->surface_);
    queries = view_of(*this->input_);
    queries.rows = indices;
    queries.num_rows = num_rows;
    input.queries = &queries;
  } else {
    input.surface = view_of(*this->input_);
    input.query_points = this->fake_indices_ ? nullptr : indices;
    input.num_query_points = num_rows;
  }
  const std::size_t width = getModel()->config().output_width();
  rows_.resize(num_rows * width);
  encode(input, rows_.data());

  bool is_dense = true;
  for (const float value : rows_) is_dense = is_dense && !std::isnan(value);
  for (std::size_t i = 0; i < num_rows; ++i)
    std::memcpy(reinterpret_cast<std::byte*>(&output[i]) + output_offset_, rows_.data() + i * width,
                width * sizeof(float));
  output.is_dense = is_dense;
  output.sensor_origin_ = this->input_->sensor_origin_;
  output.sensor_orientation_ = this->input_->sensor_orientation_;
}

extern template class PCL_ATTENTION_EXPORT AttentionEstimation<pcl::PointXYZ, AttentionSignature<64>>;
extern template class PCL_ATTENTION_EXPORT AttentionEstimation<pcl::PointXYZI, AttentionSignature<64>>;
extern template class PCL_ATTENTION_EXPORT AttentionEstimation<pcl::PointNormal, AttentionSignature<64>>;
extern template class PCL_ATTENTION_EXPORT AttentionEstimation<pcl::PointXYZRGBA, AttentionSignature<64>>;
extern template class PCL_ATTENTION_EXPORT
    AttentionEstimation<pcl::PointXYZRGBNormal, AttentionSignature<64>>;

}  // namespace pcl_attention
