// SPDX-License-Identifier: BSD-3-Clause
// Does the set of points that an outlier filter keeps depend on their order?
//   clean_report [PAGE.html [CLOUD.pcd]]
// AttentionOutlierRemoval beside pcl::StatisticalOutlierRemoval. Without CLOUD it makes a room with dust.
#include <pcl/filters/statistical_outlier_removal.h>
#include <pcl_attention/pcl/attention_outlier_removal.h>
#include <pcl_attention/pcl/equivariance_evaluation.h>
#include <pcl_attention/report_document.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "scene_cloud.h"

using namespace pcl_attention;
using Cloud = pcl::PointCloud<pcl::PointXYZ>;

/// Returns the points that a filter keeps, as what EquivarianceEvaluation measures.
template <class Filter>
auto kept_by(Filter& filter) {
  return [&filter](const Cloud::ConstPtr& cloud) {
    pcl::Indices kept;
    filter.setInputCloud(cloud);
    filter.filter(kept);
    return kept;
  };
}

SensitivityOptions what_to_measure() {
  SensitivityOptions options;
  options.groups = {ChangeGroup::permutation, ChangeGroup::jitter, ChangeGroup::subset};
  options.num_permutations = 8;
  options.subsets = {0.9};
  return options;
}

int main(int argc, char** argv) try {
  const Cloud::Ptr cloud = argc > 2 ? load_cloud(argv[2]) : make_room(3000, false, 0.02);
  EquivarianceEvaluation<pcl::PointXYZ> evaluation;
  evaluation.setInputCloud(cloud);

  ReportDocument document;
  document.cloud = argc > 2 ? argv[2] : "a room with dust";
  for (int i = 0; i < argc; ++i) document.command += (i == 0 ? "" : " ") + std::string(argv[i]);
  AttentionOutlierRemoval<pcl::PointXYZ> ours;
  document.reports.push_back(evaluation.measureKept(kept_by(ours), what_to_measure()));
  document.reports.back().equivariance.model = "AttentionOutlierRemoval";
  document.reports.back().equivariance.model_hash = ours.getModel()->hash();
  pcl::StatisticalOutlierRemoval<pcl::PointXYZ> statistical;
  statistical.setMeanK(50);
  statistical.setStddevMulThresh(1.0);
  document.reports.push_back(evaluation.measureKept(kept_by(statistical), what_to_measure()));
  document.reports.back().equivariance.model = "StatisticalOutlierRemoval";

  std::fputs(to_table(document).c_str(), stdout);
  if (argc > 1 && !(std::ofstream(argv[1]) << to_html(document))) return 2;
  return document.reports[0].equivariance.level == EquivarianceLevel::bitwise ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "clean_report: %s\n", error.what());
  return 2;
}
