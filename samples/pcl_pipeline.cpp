// SPDX-License-Identifier: BSD-3-Clause
// A PCL pipeline: load → VoxelGrid → NormalEstimation → AttentionEstimation on x y z and normals → save.
//   pcl_pipeline [CLOUD.pcd [OUTPUT.pcd]]
#include <pcl/common/io.h>
#include <pcl/features/normal_3d.h>
#include <pcl/filters/voxel_grid.h>
#include <pcl/io/pcd_io.h>
#include <pcl/point_types.h>
#include <pcl_attention/pcl/attention_estimation.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

using Cloud = pcl::PointCloud<pcl::PointXYZ>;
using Signature = pcl_attention::AttentionSignature<64>;

/// Returns a floor with a dune on it, 4 × 4 m, to run without a file.
Cloud::Ptr make_floor() {
  Cloud::Ptr cloud(new Cloud);
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 200; ++j) {
      const float x = 0.02F * static_cast<float>(i), y = 0.02F * static_cast<float>(j);
      cloud->push_back({x, y, 0.5F * std::exp(-(x - 2.0F) * (x - 2.0F) - 2.0F * (y - 1.5F) * (y - 1.5F))});
    }
  return cloud;
}

Cloud::Ptr load(const std::string& path) {
  Cloud::Ptr cloud(new Cloud);
  if (pcl::io::loadPCDFile(path, *cloud) < 0) throw std::runtime_error(path + " cannot be read");
  return cloud;
}

Cloud::Ptr downsample(const Cloud::Ptr& cloud) {
  pcl::VoxelGrid<pcl::PointXYZ> grid;
  grid.setLeafSize(0.05F, 0.05F, 0.05F);
  grid.setInputCloud(cloud);
  Cloud::Ptr result(new Cloud);
  grid.filter(*result);
  return result;
}

pcl::PointCloud<pcl::PointNormal>::Ptr with_normals(const Cloud::Ptr& cloud) {
  pcl::NormalEstimation<pcl::PointXYZ, pcl::Normal> estimation;
  estimation.setKSearch(12);
  estimation.setInputCloud(cloud);
  pcl::PointCloud<pcl::Normal> normals;
  estimation.compute(normals);
  pcl::PointCloud<pcl::PointNormal>::Ptr result(new pcl::PointCloud<pcl::PointNormal>);
  pcl::concatenateFields(*cloud, normals, *result);
  return result;
}

/// Returns a network that reads normals, too. Its weights are random: train and load your own.
pcl_attention::ModelPtr make_model() {
  pcl_attention::ModelConfig config = pcl_attention::make_preset("position")->config();
  config.name = "position with normals";
  for (const char* field : {"normal_x", "normal_y", "normal_z"})
    config.input.fields.push_back({field, 1, 1.0});
  return pcl_attention::make_random_model(config, 1);
}

int main(int argc, char** argv) try {
  const Cloud::Ptr cloud = argc > 1 ? load(argv[1]) : make_floor();
  const std::string output = argc > 2 ? argv[2] : "pcl_pipeline.pcd";
  const Cloud::Ptr small = downsample(cloud);

  pcl_attention::AttentionEstimation<pcl::PointNormal, Signature> estimation;
  estimation.setModel(make_model());
  estimation.setInputCloud(with_normals(small));
  pcl::PointCloud<Signature> signatures;
  estimation.compute(signatures);
  if (!estimation.getLastError().empty()) return 2;  // PCL has printed it

  if (pcl::io::savePCDFileBinaryCompressed(output, signatures) < 0) return 2;
  std::printf("%zu points, %zu voxels, %zu signatures of %d numbers in %s\n", cloud->size(), small->size(),
              signatures.size(), Signature::descriptorSize(), output.c_str());
  return signatures.size() == small->size() && !signatures.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "pcl_pipeline: %s\n", error.what());
  return 2;
}
