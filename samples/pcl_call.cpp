// SPDX-License-Identifier: BSD-3-Clause
// A PCL feature like any other: a cloud in, one descriptor per point out.
#include <pcl/point_types.h>
#include <pcl_attention/pcl/attention_estimation.h>

#include <cstdio>
#include <exception>

#include "spiral.h"

int main() try {
  pcl::PointCloud<pcl::PointXYZ>::Ptr cloud(new pcl::PointCloud<pcl::PointXYZ>);
  for (const auto& p : make_spiral(1000)) cloud->push_back(pcl::PointXYZ(p[0], p[1], p[2]));

  pcl_attention::AttentionEstimation<pcl::PointXYZ, pcl_attention::AttentionSignature<64>> estimation;
  estimation.setModel("preset:position");
  estimation.setInputCloud(cloud);
  pcl::PointCloud<pcl_attention::AttentionSignature<64>> signatures;
  estimation.compute(signatures);

  if (!estimation.getLastError().empty()) return 2;  // PCL has printed it
  std::printf("%zu signatures of %d numbers\n", signatures.size(), signatures[0].descriptorSize());
  return signatures.size() == cloud->size() ? 0 : 1;
} catch (const std::exception& error) {  // setters throw, compute() never does
  std::fprintf(stderr, "pcl_call: %s\n", error.what());
  return 2;
}
