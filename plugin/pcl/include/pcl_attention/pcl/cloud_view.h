// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/PCLPointField.h>
#include <pcl/common/io.h>
#include <pcl/pcl_config.h>
#include <pcl/point_cloud.h>

#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

static_assert(PCL_VERSION_COMPARE(>=, 1, 12, 0),
              "pcl_attention needs PCL 1.12 or newer: install a newer libpcl-dev");

/// Returns PCL's fields in the core's form. A count of 0 means 1, as in old messages.
/// @throws CloudError naming the field whose type is none of PCL's eleven.
PCL_ATTENTION_EXPORT std::vector<Field> fields_of(const std::vector<pcl::PCLPointField>& fields);

/// Returns a view of a message's points. It reads `cloud`, so `cloud` must outlive it unchanged.
/// @throws CloudError naming what disagrees: steps, sizes, a field outside the point.
PCL_ATTENTION_EXPORT CloudView view_of(const pcl::PCLPointCloud2& cloud);

/// Returns a view of a cloud's points as one row, whatever width and height say. It reads `cloud`, so
/// `cloud` must outlive it unchanged. Fields, offsets and types are those PointT is registered with.
template <typename PointT>
CloudView view_of(const pcl::PointCloud<PointT>& cloud) {
  CloudView view;
  view.data = reinterpret_cast<const std::byte*>(cloud.points.data());
  view.size = cloud.points.size() * sizeof(PointT);
  view.width = cloud.points.size();
  view.point_step = sizeof(PointT);
  view.fields = fields_of(pcl::getFields<PointT>());
  return view;
}

}  // namespace pcl_attention
