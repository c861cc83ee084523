// SPDX-License-Identifier: BSD-3-Clause
// pcl_report [CLOUD.pcd]: does the order of the points matter to well-known steps of PCL? Without CLOUD it
// makes a room.
#include <pcl/console/print.h>
#include <pcl/features/fpfh.h>
#include <pcl/features/normal_3d.h>
#include <pcl/features/shot.h>
#include <pcl/filters/filter.h>
#include <pcl/filters/random_sample.h>
#include <pcl/filters/voxel_grid.h>
#include <pcl_attention/pcl/equivariance_evaluation.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "scene_cloud.h"

using Cloud = pcl::PointCloud<pcl::PointXYZ>;
using Normals = pcl::PointCloud<pcl::Normal>;
using Evaluation = pcl_attention::EquivarianceEvaluation<pcl::PointXYZ>;
using pcl_attention::SensitivityReport;

constexpr std::size_t kPoints = 1000;

/// Returns kPoints of the valid points, spread over the cloud.
Cloud::Ptr thinned(const Cloud& cloud) {
  Cloud valid;
  pcl::Indices unused;
  pcl::removeNaNFromPointCloud(cloud, valid, unused);
  Cloud::Ptr result(new Cloud);
  const std::size_t count = std::min(kPoints, valid.size());
  for (std::size_t i = 0; i < count; ++i) result->push_back(valid[i * valid.size() / count]);
  return result;
}

Normals::Ptr normals_of(const Cloud::ConstPtr& cloud) {
  Normals::Ptr normals(new Normals);
  pcl::NormalEstimation<pcl::PointXYZ, pcl::Normal> estimation;
  estimation.setKSearch(10);
  estimation.setInputCloud(cloud);
  estimation.compute(*normals);
  return normals;
}

std::size_t fpfh(const Cloud::ConstPtr& cloud, std::vector<double>& rows) {
  pcl::FPFHEstimation<pcl::PointXYZ, pcl::Normal, pcl::FPFHSignature33> estimation;
  estimation.setKSearch(20);
  estimation.setInputCloud(cloud);
  estimation.setInputNormals(normals_of(cloud));
  pcl::PointCloud<pcl::FPFHSignature33> signatures;
  estimation.compute(signatures);
  rows.clear();
  for (const auto& signature : signatures)
    rows.insert(rows.end(), signature.histogram, signature.histogram + 33);
  return 33;
}

std::size_t shot(const Cloud::ConstPtr& cloud, std::vector<double>& rows) {
  pcl::SHOTEstimation<pcl::PointXYZ, pcl::Normal, pcl::SHOT352> estimation;
  estimation.setRadiusSearch(0.3);
  estimation.setInputCloud(cloud);
  estimation.setInputNormals(normals_of(cloud));
  pcl::PointCloud<pcl::SHOT352> signatures;
  estimation.compute(signatures);
  rows.clear();
  for (const auto& signature : signatures)
    rows.insert(rows.end(), signature.descriptor, signature.descriptor + 352);
  return 352;
}

/// The points that VoxelGrid gives, in any sequence.
std::size_t voxel_grid(const Cloud::ConstPtr& cloud, std::vector<double>& rows) {
  pcl::VoxelGrid<pcl::PointXYZ> filter;
  filter.setLeafSize(0.05F, 0.05F, 0.05F);
  filter.setInputCloud(cloud);
  Cloud centroids;
  filter.filter(centroids);
  rows.clear();
  for (const pcl::PointXYZ& p : centroids) rows.insert(rows.end(), p.data, p.data + 3);
  return 3;
}

/// A quarter of the points.
pcl::Indices random_sample(const Cloud::ConstPtr& cloud) {
  pcl::RandomSample<pcl::PointXYZ> filter;
  filter.setSeed(1);
  filter.setSample(static_cast<unsigned int>(cloud->size() / 4));
  filter.setInputCloud(cloud);
  pcl::Indices kept;
  filter.filter(kept);
  return kept;
}

double largest(const SensitivityReport& report, pcl_attention::ChangeGroup group) {
  double error = 0.0;
  for (const auto& change : report.changes)
    if (change.group == group) error = std::max(error, change.error.max_relative_l2);
  return error;
}

void print(const char* step, const char* output, const SensitivityReport& report) {
  using pcl_attention::ChangeGroup;
  std::printf("%-18s %-14s %-6d %-12.2g %-12.2g %.2g\n", step, output,
              static_cast<int>(report.equivariance.level), largest(report, ChangeGroup::permutation),
              largest(report, ChangeGroup::jitter), largest(report, ChangeGroup::subset));
}

int main(int argc, char** argv) try {
  using namespace pcl_attention;
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);  // SHOT names each point that has no neighbours
  const Cloud::Ptr cloud = thinned(argc > 1 ? *load_cloud(argv[1]) : *make_room(kPoints, false));
  Evaluation evaluation;
  evaluation.setInputCloud(cloud);
  SensitivityOptions options;
  options.groups = {ChangeGroup::permutation, ChangeGroup::jitter, ChangeGroup::subset};
  options.num_permutations = 8;
  options.repeats = 1;
  options.jitter = {{0.01, true}};
  options.subsets = {0.9};

  std::printf(
      "%zu points; largest relative L2, of kept sets 1 - |A and B| / |A or B|;\ninf: a row is NaN on one "
      "side alone\n",
      cloud->size());
  std::printf("%-18s %-14s %-6s %-12s %-12s %s\n", "step", "output", "level", "permutation", "jitter 0.01s",
              "subset 90 %");
  const SensitivityReport of_fpfh = evaluation.measure(fpfh, options);
  print("FPFHEstimation", "rows", of_fpfh);
  print("SHOTEstimation", "rows", evaluation.measure(shot, options));
  const SensitivityReport of_grid = evaluation.measure(voxel_grid, options, OutputKind::unordered_set);
  print("VoxelGrid", "unordered set", of_grid);
  const SensitivityReport of_sample = evaluation.measureKept(random_sample, options);
  print("RandomSample", "kept set", of_sample);

  // a sample drawn by position in the cloud is another one behind every shuffle
  const bool as_expected = of_sample.equivariance.level == EquivarianceLevel::none &&
                           of_grid.equivariance.permutation.max_relative_l2 < 1e-5 &&
                           of_fpfh.equivariance.permutation.count == 8;
  return as_expected ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "pcl_report: %s\n", error.what());
  return 2;
}
