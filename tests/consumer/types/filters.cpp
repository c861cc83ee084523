// SPDX-License-Identifier: BSD-3-Clause
#include <pcl/conversions.h>
#include <pcl_attention/pcl/attention_estimation.h>  // again, in a second translation unit
#include <pcl_attention/pcl/attention_filter.h>
#include <pcl_attention/pcl/attention_outlier_removal.h>
#include <pcl_attention/pcl/attention_sampling.h>
#include <pcl_attention/pcl/canonical_order.h>

#include <cstring>
#include <limits>

#include "lidar_point.h"

namespace {

bool rewrites(const pcl::PointCloud<LidarPoint>::Ptr& cloud) {
  pcl_attention::AttentionFilter<LidarPoint> filter;
  filter.setModel("preset:position");
  filter.setOutputFields({"intensity", "time"});
  filter.setInputCloud(cloud);
  pcl::PointCloud<LidarPoint> output;
  filter.filter(output);
  return output.size() == 200 && output.is_dense && output[9].ring == 9 && output[9].time != (*cloud)[9].time;
}

bool adds_a_field(const pcl::PointCloud<LidarPoint>::Ptr& cloud) {
  pcl::PCLPointCloud2::Ptr message(new pcl::PCLPointCloud2), output(new pcl::PCLPointCloud2);
  pcl::toPCLPointCloud2(*cloud, *message);
  pcl::Filter<pcl::PCLPointCloud2>::Ptr base;
  auto* filter = new pcl_attention::AttentionFilter<pcl::PCLPointCloud2>;
  base.reset(filter);
  filter->setModel("preset:position");
  filter->setAddedFields({"attention_0"});
  base->setInputCloud(message);
  base->filter(*output);
  return output->width == 200 && output->point_step == message->point_step + 4 && output->is_dense;
}

template <class FilterT>
std::size_t number_given(FilterT& filter, const pcl::PointCloud<LidarPoint>::Ptr& cloud) {
  filter.setInputCloud(cloud);
  pcl::PointCloud<LidarPoint> output;
  filter.filter(output);
  return output.is_dense ? output.size() : 0;
}

}  // namespace

bool filters() {
  const auto cloud = make_scan();
  if (!rewrites(cloud) || !adds_a_field(cloud)) return false;
  (*cloud)[3].x = std::numeric_limits<float>::quiet_NaN();
  pcl_attention::AttentionSampling<LidarPoint> sampling;
  sampling.setModel("preset:position");
  sampling.setCount(30);
  pcl_attention::CanonicalOrder<LidarPoint> order;
  pcl_attention::AttentionOutlierRemoval<LidarPoint> removal;
  removal.setThreshold(1.0);
  return number_given(sampling, cloud) == 30 && number_given(removal, cloud) == 199 &&
         number_given(order, cloud) == 199;
}
