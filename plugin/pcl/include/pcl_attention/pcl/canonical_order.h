// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/PCLPointCloud2.h>
#include <pcl/filters/filter_indices.h>

#include "pcl_attention/pcl/call_status.h"
#include "pcl_attention/pcl/cloud_contract.h"
#include "pcl_attention/ranking.h"

namespace pcl_attention {

/// Puts the points input[indices] into canonical order, see ranked_points(): a shuffled cloud gives the same
/// output, byte for byte in all registered fields.
///
/// Points whose x, y or z is not finite go to the removed indices; other fields are not looked at. The output
/// is one row; its is_dense is true exactly when no float number is NaN, packed colour aside. Keep-organised
/// and negative are failures: an order has no place for either. A failure gives an empty output and a reason
/// in getLastError(). Without an input PCL leaves the output as it was.
/// @tparam PointT  a registered point type or pcl::PCLPointCloud2
template <typename PointT>
class CanonicalOrder : public pcl::FilterIndices<PointT>, public CallStatus {
 public:
  using Ptr = pcl::shared_ptr<CanonicalOrder<PointT>>;
  using ConstPtr = pcl::shared_ptr<const CanonicalOrder<PointT>>;
  using Cloud = typename CloudOf<PointT>::type;

  /// @param extract_removed_indices  true: getRemovedIndices() gives the points without a rank
  explicit CanonicalOrder(bool extract_removed_indices = false)
      : pcl::FilterIndices<PointT>(extract_removed_indices) {
    this->filter_name_ = "CanonicalOrder";
  }

  /// Sets curve, grid, names of x, y, z, zero returns and threads.
  void setOptions(const RankingOptions& options) { options_ = options; }
  const RankingOptions& getOptions() const { return options_; }

  /// Sets the largest number of threads; 0, the default, takes all the process may use.
  void setNumberOfThreads(unsigned num_threads) { options_.num_threads = num_threads; }
  unsigned getNumberOfThreads() const { return options_.num_threads; }

 private:
  void applyFilter(pcl::Indices& indices) override;
  void applyFilter(Cloud& output) override;
  void order(pcl::Indices& indices);

  RankingOptions options_;
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/canonical_order.hpp"
