// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcl_attention/pcl/attention_filter_indices.h"
#include "pcl_attention/selection.h"

namespace pcl_attention {

/// Keeps the points that receive most attention in the last layer, mean over heads.
///
/// Of points that receive the same the one of lower canonical rank comes first, so the set kept does not
/// depend on the order of the points if the model's rows do not. Indices, invalid points, keep-organised,
/// negative and failures: see AttentionFilterIndices. Same result for any number of threads. Runs the
/// reference engine, see attention_received().
/// @tparam PointT  a registered point type or pcl::PCLPointCloud2
template <typename PointT>
class AttentionSampling : public AttentionFilterIndices<PointT> {
 public:
  using Ptr = pcl::shared_ptr<AttentionSampling<PointT>>;
  using ConstPtr = pcl::shared_ptr<const AttentionSampling<PointT>>;

  /// @param extract_removed_indices  true: getRemovedIndices() gives the other indices after filter()
  explicit AttentionSampling(bool extract_removed_indices = false)
      : AttentionFilterIndices<PointT>("AttentionSampling", extract_removed_indices) {}

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
  std::vector<std::uint8_t> decide(const CloudView& cloud) override {
    return this->sample(cloud, selection_);
  }

  Selection selection_;
};

}  // namespace pcl_attention
