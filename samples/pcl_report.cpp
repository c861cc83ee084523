// SPDX-License-Identifier: BSD-3-Clause
// Does the order of the points matter? Asked of PCL's FPFH and of a callable of one's own.
#include <pcl/features/fpfh.h>
#include <pcl/features/normal_3d.h>
#include <pcl_attention/pcl/equivariance_evaluation.h>

#include <cstdio>
#include <exception>

#include "spiral.h"

using Cloud = pcl::PointCloud<pcl::PointXYZ>;

/// FPFH of every point, normals first.
std::size_t fpfh(const Cloud::ConstPtr& cloud, std::vector<double>& rows) {
  pcl::PointCloud<pcl::Normal>::Ptr normals(new pcl::PointCloud<pcl::Normal>);
  pcl::NormalEstimation<pcl::PointXYZ, pcl::Normal> normal_estimation;
  normal_estimation.setKSearch(10);
  normal_estimation.setInputCloud(cloud);
  normal_estimation.compute(*normals);

  pcl::FPFHEstimation<pcl::PointXYZ, pcl::Normal, pcl::FPFHSignature33> estimation;
  estimation.setKSearch(20);
  estimation.setInputCloud(cloud);
  estimation.setInputNormals(normals);
  pcl::PointCloud<pcl::FPFHSignature33> signatures;
  estimation.compute(signatures);

  rows.clear();
  for (const auto& signature : signatures)
    rows.insert(rows.end(), signature.histogram, signature.histogram + 33);
  return 33;
}

/// A row per point: how far it is from the point before it.
std::size_t step_length(const Cloud::ConstPtr& cloud, std::vector<double>& rows) {
  rows.assign(cloud->size(), 0.0);
  for (std::size_t i = 1; i < cloud->size(); ++i)
    rows[i] = static_cast<double>(((*cloud)[i].getVector3fMap() - (*cloud)[i - 1].getVector3fMap()).norm());
  return 1;
}

int main() try {
  Cloud::Ptr cloud(new Cloud);
  for (const auto& p : make_spiral(400)) cloud->push_back(pcl::PointXYZ(p[0], p[1], p[2]));

  pcl_attention::EquivarianceEvaluation<pcl::PointXYZ> evaluation;
  evaluation.setInputCloud(cloud);
  const pcl_attention::EquivarianceReport of_pcl = evaluation.evaluate(fpfh);
  std::printf("pcl::FPFHEstimation\n%s\n", to_table(of_pcl).c_str());
  const pcl_attention::EquivarianceReport of_own = evaluation.evaluate(step_length);
  std::printf("length of the step to a point\n%s", to_table(of_own).c_str());
  return of_own.level == pcl_attention::EquivarianceLevel::none && of_pcl.permutation.count == 8 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "pcl_report: %s\n", error.what());
  return 2;
}
