// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/filters/filter_indices.h>

#include <cstddef>

#include "pcl_attention/pcl/attention_base.h"
#include "pcl_attention/pcl/cloud_contract.h"
#include "pcl_attention/selection.h"

namespace pcl_attention {

/// Keeps the points that receive most attention in the last layer, mean over heads.
///
/// The points input[indices] are treated as if they were the whole cloud; kept ones come in the sequence of
/// the indices. Of points that receive the same the one of lower canonical rank comes first, so the set kept
/// does not depend on the order of the points if the model's rows do not. Points with values that are not
/// finite are always removed, negative or not. With keep-organised the output has all points of the input,
/// and x, y, z of removed ones are the user filter value. is_dense is true exactly when no float number of
/// the output is NaN and no x, y, z infinite, packed colour aside. A failure gives an empty output and a
/// reason in getLastError(). Without an input PCL leaves the output as it was. Same result for any number of
/// threads. Runs the reference engine, see attention_received().
/// @tparam PointT  a registered point type or pcl::PCLPointCloud2
template <typename PointT>
class AttentionSampling : public pcl::FilterIndices<PointT>, public AttentionBase {
 public:
  using Ptr = pcl::shared_ptr<AttentionSampling<PointT>>;
  using ConstPtr = pcl::shared_ptr<const AttentionSampling<PointT>>;
  using Cloud = typename CloudOf<PointT>::type;

  /// @param extract_removed_indices  true: getRemovedIndices() gives the other indices after filter()
  explicit AttentionSampling(bool extract_removed_indices = false)
      : pcl::FilterIndices<PointT>(extract_removed_indices) {
    this->filter_name_ = "AttentionSampling";
  }

  /// Sets which share is kept, default half of the valid points.
  /// @throws std::invalid_argument as Selection::check() does.
  void setSelection(const Selection& selection) {
    selection.check();
    selection_ = selection;
  }
  const Selection& getSelection() const { return selection_; }

  /// Keeps the `count` points with most attention, or all if they are fewer.
  void setCount(std::size_t count) { setSelection({SelectionKind::count, count}); }
  /// Keeps this share of the valid points, in [0, 1], rounded up.
  void setFraction(double fraction) { setSelection({SelectionKind::fraction, 0, fraction}); }
  /// Keeps the points that receive at least `threshold` times an even share.
  void setThreshold(double threshold) { setSelection({SelectionKind::threshold, 0, 0.0, threshold}); }

 private:
  void applyFilter(pcl::Indices& indices) override;
  void applyFilter(Cloud& output) override;
  void choose(pcl::Indices& kept, pcl::Indices& removed);
  void write(Cloud& output);

  Selection selection_;
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/attention_sampling.hpp"
