// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pcl_attention/outlier_model.h"
#include "pcl_attention/outliers.h"
#include "pcl_attention/pcl/attention_filter_indices.h"

namespace pcl_attention {

/// Removes isolated returns, rain, snow, dust and mixed pixels: the points whose probability to be an outlier
/// is at or above a threshold, see outlier_probabilities().
///
/// Without setModel() a trained model of the library runs: the one for coordinates alone, or once
/// setSensorOrigin() has been called the one that also reads angle of view and range; both are
/// shipped_outlier_model(). A model set by the user stays, and is not exchanged by setSensorOrigin(). If it
/// reads what needs the sensor's origin and none was set, filter() fails. Indices, invalid points,
/// keep-organised, negative and failures: see AttentionFilterIndices. Same bits for any number of threads and
/// for every sequence of the points.
/// @code
/// pcl_attention::AttentionOutlierRemoval<pcl::PointXYZ> removal;
/// removal.setInputCloud(cloud);
/// removal.filter(cleaned);
/// @endcode
/// @tparam PointT  a registered point type or pcl::PCLPointCloud2
template <typename PointT>
class AttentionOutlierRemoval : public AttentionFilterIndices<PointT> {
 public:
  using Ptr = pcl::shared_ptr<AttentionOutlierRemoval<PointT>>;
  using ConstPtr = pcl::shared_ptr<const AttentionOutlierRemoval<PointT>>;

  /// @param extract_removed_indices  true: getRemovedIndices() gives the other indices after filter()
  explicit AttentionOutlierRemoval(bool extract_removed_indices = false)
      : AttentionFilterIndices<PointT>("AttentionOutlierRemoval", extract_removed_indices) {}

  /// Sets the probability from which on a point is removed, in [0, 1]; default outlier_threshold() of the
  /// model in force, whichever that will be.
  /// @throws std::invalid_argument outside.
  void setThreshold(double threshold) {
    check_outlier_threshold(threshold);
    threshold_ = threshold;
  }
  /// Returns the threshold in force.
  double getThreshold() const { return threshold_ ? *threshold_ : outlier_threshold(*this->getModel()); }

  /// Returns [points of the input] the probability of each point after filter(); NaN for points that are
  /// invalid or not among the indices. Empty after a failed call.
  const std::vector<float>& getProbabilities() const { return probabilities_; }

 private:
  ModelPtr defaultModel() const override {
    return shipped_outlier_model(this->getSensorOrigin().has_value());
  }
  void checkModel(const Model& model) const override { check_outlier_model(model); }
  void forget() override {
    AttentionBase::forget();
    probabilities_.clear();
  }
  std::vector<std::uint8_t> decide(const CloudView& cloud) override;

  std::optional<double> threshold_;
  std::vector<float> probabilities_;
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/attention_outlier_removal.hpp"
