// SPDX-License-Identifier: BSD-3-Clause
#include <pcl_attention/pcl/attention_estimation.h>
#include <pcl_attention/pcl/attention_global_estimation.h>

#include <limits>

#include "lidar_point.h"

using Signature = pcl_attention::AttentionSignature<64>;

bool features() {
  const auto cloud = make_scan();
  // Made here and destroyed through PCL's base, whatever alignment the flags give.
  pcl::Feature<LidarPoint, Signature>::Ptr feature;
  auto* estimation = new pcl_attention::AttentionEstimation<LidarPoint, Signature>;
  feature.reset(estimation);
  estimation->setModel("preset:position");
  pcl::PointCloud<Signature> rows;
  feature->setInputCloud(cloud);
  feature->compute(rows);
  if (rows.size() != 200 || !rows.is_dense || !estimation->getLastError().empty()) return false;

  (*cloud)[3].x = std::numeric_limits<float>::quiet_NaN();
  feature->compute(rows);
  if (rows.size() != 200 || rows.is_dense) return false;

  pcl_attention::AttentionGlobalEstimation<LidarPoint, Signature> global;
  global.setModel("preset:position");
  global.setInputCloud(cloud);
  global.compute(rows);
  return rows.size() == 1 && rows.is_dense;
}
