// SPDX-License-Identifier: BSD-3-Clause
// Features of few points that see many: descriptors for keypoints, the full cloud as search surface.
//   two_clouds [CLOUD.pcd]
#include <pcl/filters/voxel_grid.h>
#include <pcl_attention/pcl/attention_estimation.h>

#include <cstdio>
#include <exception>

#include "scene_cloud.h"

int main(int argc, char** argv) try {
  const auto cloud = argc > 1 ? load_cloud(argv[1]) : make_room(6000, false);
  pcl::PointCloud<pcl::PointXYZ>::Ptr keypoints(new pcl::PointCloud<pcl::PointXYZ>);
  pcl::VoxelGrid<pcl::PointXYZ> grid;
  grid.setLeafSize(0.5F, 0.5F, 0.5F);
  grid.setInputCloud(cloud);
  grid.filter(*keypoints);

  pcl_attention::AttentionEstimation<pcl::PointXYZ, pcl_attention::AttentionSignature<64>> estimation;
  estimation.setModel("preset:position");
  estimation.setInputCloud(keypoints);  // these are answered,
  estimation.setSearchSurface(cloud);   // those are summarised
  pcl::PointCloud<pcl_attention::AttentionSignature<64>> signatures;
  estimation.compute(signatures);
  if (!estimation.getLastError().empty()) return 2;  // PCL has printed it

  std::printf("%zu signatures of keypoints, which saw %zu points\n", signatures.size(),
              estimation.getResult().num_valid);
  return signatures.size() == keypoints->size() && signatures.is_dense ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "two_clouds: %s\n", error.what());
  return 2;
}
