// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/pcl/attention_feature.h"
#include "pcl_attention/pooling.h"

namespace pcl_attention {

/// Computes one attention descriptor for a whole cloud: place recognition, retrieval.
///
/// The rows of the points input[indices] are pooled, see Pooling; points whose row is NaN are left out. The
/// points summarised are those of the search surface, or without one input[indices] themselves, as if they
/// were the whole cloud. A cloud without valid points gives one row of NaN, an empty one no row.
/// Failures, types and threads are those of AttentionEstimation.
/// Bitwise the same for any order of the points if the model's rows are.
template <typename PointInT, typename PointOutT>
class AttentionGlobalEstimation : public AttentionFeature<PointInT, PointOutT> {
 public:
  using Ptr = pcl::shared_ptr<AttentionGlobalEstimation<PointInT, PointOutT>>;
  using ConstPtr = pcl::shared_ptr<const AttentionGlobalEstimation<PointInT, PointOutT>>;
  using PointCloudOut = typename AttentionFeature<PointInT, PointOutT>::PointCloudOut;

  AttentionGlobalEstimation() { this->feature_name_ = "AttentionGlobalEstimation"; }

  /// Sets how rows become one, default Pooling::mean. Pooling::attention weighs a row by the attention that
  /// its point receives, and takes no search surface.
  void setPooling(Pooling pooling) { pooling_ = pooling; }
  Pooling getPooling() const { return pooling_; }

 private:
  void estimate(PointCloudOut& output) override;

  Pooling pooling_ = Pooling::mean;
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/attention_global_estimation.hpp"
