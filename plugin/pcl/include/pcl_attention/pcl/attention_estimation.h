// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/pcl/attention_feature.h"

namespace pcl_attention {

/// Computes an attention descriptor per query point.
///
/// Queries are the points of the input named by the indices, in their sequence; the points summarised
/// are those of the search surface, or all of the input without one. No search tree, k or radius is
/// needed. Rows of points with values that are not finite are NaN; is_dense is true exactly when no
/// number of the output is NaN. A null input, a missing model or field, or a PointOutT of another width
/// give an empty output and a reason in getLastError(). An empty input gives an empty output.
/// The input is never written to. Same bits for any number of threads.
///
/// @code
/// pcl_attention::AttentionEstimation<pcl::PointXYZ, pcl_attention::AttentionSignature<64>> estimation;
/// estimation.setModel("preset:position");
/// estimation.setInputCloud(cloud);
/// estimation.compute(signatures);
/// @endcode
/// @tparam PointInT   any registered point type with the fields the model reads
/// @tparam PointOutT  any registered point type with a float array as wide as the model's rows
template <typename PointInT, typename PointOutT>
class AttentionEstimation : public AttentionFeature<PointInT, PointOutT> {
 public:
  using Ptr = pcl::shared_ptr<AttentionEstimation<PointInT, PointOutT>>;
  using ConstPtr = pcl::shared_ptr<const AttentionEstimation<PointInT, PointOutT>>;
  using PointCloudOut = typename AttentionFeature<PointInT, PointOutT>::PointCloudOut;

  AttentionEstimation() { this->feature_name_ = "AttentionEstimation"; }

 private:
  void estimate(PointCloudOut& output) override;
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/attention_estimation.hpp"
