// SPDX-License-Identifier: BSD-3-Clause
// A scan without its outliers.
//   clean_scan [CLOUD.pcd [CLEANED.pcd]]
#include <pcl_attention/pcl/attention_outlier_removal.h>

#include <cstdio>
#include <exception>

#include "scene_cloud.h"

int main(int argc, char** argv) try {
  const auto cloud = argc > 1 ? load_cloud(argv[1]) : make_room(6000, false, 0.02);

  pcl_attention::AttentionOutlierRemoval<pcl::PointXYZ> removal;
  removal.setInputCloud(cloud);
  pcl::PointCloud<pcl::PointXYZ> cleaned;
  removal.filter(cleaned);

  if (!removal.getLastError().empty()) return 2;  // PCL has printed it
  std::printf("%zu of %zu points kept, those below probability %g\n", cleaned.size(), cloud->size(),
              removal.getThreshold());
  if (argc > 2 && pcl::io::savePCDFileBinaryCompressed(argv[2], cleaned) < 0) return 2;
  return removal.getProbabilities().size() == cloud->size() && cleaned.is_dense ? 0 : 1;
} catch (const std::exception& error) {  // setters throw, filter() never does
  std::fprintf(stderr, "clean_scan: %s\n", error.what());
  return 2;
}
