// SPDX-License-Identifier: BSD-3-Clause
// The descriptors of two scans, matched by PCL's correspondence search, which sees all their numbers.
//   match_scans [SCAN1.pcd SCAN2.pcd]
#include <pcl/filters/voxel_grid.h>
#include <pcl/registration/correspondence_estimation.h>
#include <pcl_attention/pcl/attention_estimation.h>

#include <cstdio>
#include <exception>

#include "scene_cloud.h"

using Cloud = pcl::PointCloud<pcl::PointXYZ>;
using Signature = pcl_attention::AttentionSignature<64>;

Cloud::Ptr downsample(const Cloud::Ptr& cloud) {
  pcl::VoxelGrid<pcl::PointXYZ> grid;
  grid.setLeafSize(0.2F, 0.2F, 0.2F);
  grid.setInputCloud(cloud);
  Cloud::Ptr result(new Cloud);
  grid.filter(*result);
  return result;
}

pcl::PointCloud<Signature>::Ptr describe(const Cloud::Ptr& cloud) {
  pcl_attention::AttentionEstimation<pcl::PointXYZ, Signature> estimation;
  estimation.setModel("preset:position");  // random weights: the search works, its matches mean nothing yet
  estimation.setInputCloud(cloud);
  pcl::PointCloud<Signature>::Ptr signatures(new pcl::PointCloud<Signature>);
  estimation.compute(*signatures);
  return signatures;
}

int main(int argc, char** argv) try {
  const auto first = downsample(argc > 2 ? load_cloud(argv[1]) : make_room(6000, false));
  const auto second = downsample(argc > 2 ? load_cloud(argv[2]) : make_room(5000, false));
  const auto source = describe(first), target = describe(second);

  pcl::registration::CorrespondenceEstimation<Signature, Signature> matching;
  matching.setInputSource(source);
  matching.setInputTarget(target);
  pcl::Correspondences all, mutual;
  matching.determineCorrespondences(all);
  matching.determineReciprocalCorrespondences(mutual);
  std::printf("%zu and %zu points, %zu matches, %zu of them mutual\n", first->size(), second->size(),
              all.size(), mutual.size());
  return !all.empty() && all.size() == first->size() && !mutual.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "match_scans: %s\n", error.what());
  return 2;
}
