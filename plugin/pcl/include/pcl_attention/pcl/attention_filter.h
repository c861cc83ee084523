// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/filters/filter.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "pcl_attention/pcl/attention_base.h"
#include "pcl_attention/pcl/cloud_contract.h"

namespace pcl_attention {

/// Rewrites chosen fields of every point with the first numbers of its row.
///
/// All points stay where they are, and so does every byte outside the fields written; width, height, header
/// and pose are the input's. The points summarised are input[indices], a repeated index counts once; all
/// points are answered. Fields of points with values that are not finite become NaN. is_dense is true exactly
/// when no float number is NaN and no x, y, z infinite, packed colour aside. A failure gives an empty output
/// and a reason in getLastError(). Without an input PCL leaves the output as it was. Same bits for any number
/// of threads.
/// @tparam PointT  a registered point type or pcl::PCLPointCloud2
template <typename PointT>
class AttentionFilter : public pcl::Filter<PointT>, public AttentionBase {
 public:
  using Ptr = pcl::shared_ptr<AttentionFilter<PointT>>;
  using ConstPtr = pcl::shared_ptr<const AttentionFilter<PointT>>;
  using Cloud = typename CloudOf<PointT>::type;

  AttentionFilter() { this->filter_name_ = "AttentionFilter"; }

  /// Sets the float32 or float64 fields that take the first numbers of a row, in this sequence.
  void setOutputFields(const std::vector<std::string>& names) { output_fields_ = names; }
  const std::vector<std::string>& getOutputFields() const { return output_fields_; }

  /// Sets float32 fields that the output has in addition; they take the numbers behind those of the output
  /// fields. Points grow; rows are packed. Of messages only, and not in place.
  void setAddedFields(const std::vector<std::string>& names) {
    static_assert(std::is_same<PointT, pcl::PCLPointCloud2>::value, "a point type has the fields it has");
    added_fields_ = names;
  }
  const std::vector<std::string>& getAddedFields() const { return added_fields_; }

 private:
  void applyFilter(Cloud& output) override;
  void rewrite(Cloud& output);

  std::vector<std::string> output_fields_, added_fields_;
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/attention_filter.hpp"
