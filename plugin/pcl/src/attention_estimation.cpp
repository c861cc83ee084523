// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/attention_estimation.h"

namespace pcl_attention {

template class AttentionEstimation<pcl::PointXYZ, AttentionSignature<64>>;
template class AttentionEstimation<pcl::PointXYZI, AttentionSignature<64>>;
template class AttentionEstimation<pcl::PointNormal, AttentionSignature<64>>;
template class AttentionEstimation<pcl::PointXYZRGBA, AttentionSignature<64>>;
template class AttentionEstimation<pcl::PointXYZRGBNormal, AttentionSignature<64>>;

}  // namespace pcl_attention
