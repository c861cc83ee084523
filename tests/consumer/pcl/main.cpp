// SPDX-License-Identifier: BSD-3-Clause
// A point type of the library and one that it does not know.
#include <pcl/point_types.h>
#include <pcl/register_point_struct.h>
#include <pcl_attention/pcl/attention_estimation.h>

#include <cmath>
#include <cstdio>

struct OwnPoint {
  PCL_ADD_POINT4D;
  float weight = 0.0F;
  PCL_MAKE_ALIGNED_OPERATOR_NEW
};
POINT_CLOUD_REGISTER_POINT_STRUCT(OwnPoint, (float, x, x)(float, y, y)(float, z, z)(float, weight, weight))

template <class PointT>
bool estimates() {
  typename pcl::PointCloud<PointT>::Ptr cloud(new pcl::PointCloud<PointT>);
  for (int i = 0; i < 100; ++i) {
    PointT p;
    p.x = static_cast<float>(i % 10);
    p.y = static_cast<float>(i / 10);
    p.z = static_cast<float>(i * i % 7);
    cloud->push_back(p);
  }
  pcl_attention::AttentionEstimation<PointT, pcl_attention::AttentionSignature<64>> estimation;
  estimation.setModel("preset:position");
  estimation.setInputCloud(cloud);
  pcl::PointCloud<pcl_attention::AttentionSignature<64>> signatures;
  estimation.compute(signatures);
  if (signatures.size() != cloud->size()) return false;
  for (const auto& signature : signatures)
    for (const float value : signature.descriptor)
      if (!std::isfinite(value)) return false;
  return true;
}

int main() {
  const bool known = estimates<pcl::PointXYZI>(), own = estimates<OwnPoint>();
  std::printf("pcl::PointXYZI %s, own point type %s\n", known ? "good" : "bad", own ? "good" : "bad");
  return known && own ? 0 : 1;
}
