// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <stdexcept>

#include "pcl_attention/pcl/cloud_contract.h"
#include "pcl_attention/pcl/equivariance_evaluation.h"
#include "pcl_attention/pcl/impl/pcl_feature_bodies.hpp"
#include "pcl_attention/pcl/output_field.h"
#include "pcl_attention/pcl/rows_of.h"

namespace pcl_attention {

template <typename PointT>
typename EquivarianceEvaluation<PointT>::CloudConstPtr EquivarianceEvaluation<PointT>::cloudOf(
    const CloudView& view) const {
  typename Cloud::Ptr cloud(new Cloud);
  cloud->resize(view.num_points());
  for (std::size_t i = 0; i < cloud->size(); ++i)
    std::memcpy(reinterpret_cast<std::byte*>(&(*cloud)[i]), view.point(i), sizeof(PointT));
  cloud->header = input_->header;
  cloud->is_dense = input_->is_dense;
  cloud->sensor_origin_ = input_->sensor_origin_;
  cloud->sensor_orientation_ = input_->sensor_orientation_;
  return cloud;
}

template <typename PointT>
CloudView EquivarianceEvaluation<PointT>::view() const {
  if (input_ == nullptr) throw std::invalid_argument("no input: call setInputCloud() first");
  return view_of(*input_);
}

template <typename PointT>
RowOperator EquivarianceEvaluation<PointT>::operatorOf(const RowCallable& callable) const {
  return [this, callable](const CloudView& cloud, std::vector<double>& rows) {
    return callable(cloudOf(cloud), rows);
  };
}

template <typename PointT>
KeepOperator EquivarianceEvaluation<PointT>::operatorOf(const KeepCallable& callable) const {
  return [this, callable](const CloudView& cloud) {
    const pcl::Indices kept = callable(cloudOf(cloud));
    return std::vector<std::int32_t>(kept.begin(), kept.end());
  };
}

template <typename PointT>
EquivarianceReport EquivarianceEvaluation<PointT>::evaluate(const RowCallable& callable,
                                                            OutputKind kind) const {
  switch (kind) {
    case OutputKind::rows:
      return evaluate_equivariance(view(), operatorOf(callable), options_);
    case OutputKind::unordered_set:
      return evaluate_unordered_set(view(), operatorOf(callable), options_);
    case OutputKind::global_row:
      return evaluate_global_row(view(), operatorOf(callable), options_);
    case OutputKind::kept_set:
      break;
  }
  throw std::invalid_argument("rows are no kept set: call evaluateKept()");
}

template <typename PointT>
EquivarianceReport EquivarianceEvaluation<PointT>::evaluateKept(const KeepCallable& callable) const {
  return evaluate_kept_set(view(), operatorOf(callable), options_);
}

template <typename PointT>
SensitivityReport EquivarianceEvaluation<PointT>::measure(const RowCallable& callable,
                                                          const SensitivityOptions& options,
                                                          OutputKind kind) const {
  switch (kind) {
    case OutputKind::rows:
      return measure_sensitivity(view(), operatorOf(callable), options);
    case OutputKind::unordered_set:
      return measure_unordered_set(view(), operatorOf(callable), options);
    case OutputKind::global_row:
      return measure_global_row(view(), operatorOf(callable), options);
    case OutputKind::kept_set:
      break;
  }
  throw std::invalid_argument("rows are no kept set: call measureKept()");
}

template <typename PointT>
SensitivityReport EquivarianceEvaluation<PointT>::measureKept(const KeepCallable& callable,
                                                              const SensitivityOptions& options) const {
  return measure_kept_set(view(), operatorOf(callable), options);
}

template <typename PointT>
template <typename PointOutT>
EquivarianceReport EquivarianceEvaluation<PointT>::evaluate(pcl::Feature<PointT, PointOutT>& feature,
                                                            OutputKind kind,
                                                            const std::string& output_field) const {
  const Field field = find_output_field(fields_of(pcl::getFields<PointOutT>()), output_field);
  const RowCallable run = [&](const CloudConstPtr& cloud, std::vector<double>& rows) {
    pcl::PointCloud<PointOutT> output;
    feature.setInputCloud(cloud);
    feature.compute(output);
    if (output.empty() && !cloud->empty()) throw std::runtime_error("the feature gave no rows");
    return rows_of(view_of(output), {field}, rows);
  };
  return evaluate(run, kind);
}

template <typename PointT>
EquivarianceReport EquivarianceEvaluation<PointT>::evaluate(pcl::Filter<PointT>& filter,
                                                            OutputKind kind) const {
  const RowCallable run = [&](const CloudConstPtr& cloud, std::vector<double>& rows) {
    Cloud output;
    filter.setInputCloud(cloud);
    filter.filter(output);
    return rows_of(view_of(output), float_fields(fields_of(pcl::getFields<PointT>())), rows);
  };
  return evaluate(run, kind);
}

template <typename PointT>
EquivarianceReport EquivarianceEvaluation<PointT>::evaluateKept(pcl::FilterIndices<PointT>& filter) const {
  const KeepCallable run = [&](const CloudConstPtr& cloud) {
    pcl::Indices kept;
    filter.setInputCloud(cloud);
    filter.filter(kept);
    return kept;
  };
  return evaluateKept(run);
}

}  // namespace pcl_attention
