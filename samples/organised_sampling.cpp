// SPDX-License-Identifier: BSD-3-Clause
// A depth image as a cloud: the quarter of its points that receive most attention, rows and columns kept.
//   organised_sampling [CLOUD.pcd [OUTPUT.pcd]]
#include <pcl_attention/pcl/attention_sampling.h>

#include <cstdio>
#include <exception>

#include "scene_cloud.h"

int main(int argc, char** argv) try {
  const auto cloud = argc > 1 ? load_cloud(argv[1]) : make_room(80 * 60, true);

  pcl_attention::AttentionSampling<pcl::PointXYZ> sampling(true);
  sampling.setModel("preset:position");
  sampling.setFraction(0.25);
  sampling.setKeepOrganized(true);
  sampling.setInputCloud(cloud);
  pcl::PointCloud<pcl::PointXYZ> output;
  sampling.filter(output);
  if (!sampling.getLastError().empty()) return 2;  // PCL has printed it

  const std::size_t kept = cloud->size() - sampling.getRemovedIndices()->size();
  std::printf("%u × %u points, %zu kept, the others are NaN in their place\n", output.width, output.height,
              kept);
  if (argc > 2 && pcl::io::savePCDFileBinaryCompressed(argv[2], output) < 0) return 2;
  return output.width == cloud->width && output.height == cloud->height && kept != 0 && !output.is_dense ? 0
                                                                                                         : 1;
} catch (const std::exception& error) {  // setters throw, filter() never does
  std::fprintf(stderr, "organised_sampling: %s\n", error.what());
  return 2;
}
