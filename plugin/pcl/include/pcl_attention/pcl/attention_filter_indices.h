// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/filters/filter_indices.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pcl_attention/pcl/attention_base.h"
#include "pcl_attention/pcl/cloud_contract.h"

namespace pcl_attention {

/// What the classes share that keep some of the points.
///
/// The points input[indices] are treated as if they were the whole cloud; kept ones come in the sequence of
/// the indices. Points with values that are not finite are always removed, negative or not. With
/// keep-organised the output has all points of the input, and x, y, z of removed ones are the user filter
/// value. is_dense is true exactly when no float number of the output is NaN and no x, y, z infinite, packed
/// colour aside. A failure gives an empty output and a reason in getLastError(). Without an input PCL leaves
/// the output as it was.
/// @tparam PointT  a registered point type or pcl::PCLPointCloud2
template <typename PointT>
class AttentionFilterIndices : public pcl::FilterIndices<PointT>, public AttentionBase {
 public:
  using Cloud = typename CloudOf<PointT>::type;

 protected:
  AttentionFilterIndices(const std::string& name, bool extract_removed_indices)
      : pcl::FilterIndices<PointT>(extract_removed_indices) {
    this->filter_name_ = name;
  }

  /// Returns what becomes of each point of input[indices], as PointState. Behind begin().
  virtual std::vector<std::uint8_t> decide(const CloudView& cloud) = 0;

 private:
  void applyFilter(pcl::Indices& indices) override;
  void applyFilter(Cloud& output) override;
  void choose(pcl::Indices& kept, pcl::Indices& removed);
  void write(Cloud& output);
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/attention_filter_indices.hpp"
