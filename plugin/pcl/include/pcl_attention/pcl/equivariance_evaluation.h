// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/features/feature.h>
#include <pcl/filters/filter_indices.h>
#include <pcl/point_cloud.h>

#include <functional>
#include <string>
#include <vector>

#include "pcl_attention/equivariance.h"
#include "pcl_attention/sensitivity.h"

namespace pcl_attention {

/// Measures how far the output of a PCL object, or of any callable, depends on the order of the points.
///
/// The object is run on the input cloud and on permutations of it, each an unorganised cloud with the input's
/// header and pose; its own input is left set to the last of them. Indices and surfaces of the object are its
/// own business: indices would name other points after a permutation, so leave them unset.
/// @code
/// pcl_attention::EquivarianceEvaluation<pcl::PointXYZ> evaluation;
/// evaluation.setInputCloud(cloud);
/// std::cout << to_table(evaluation.evaluate(estimation));
/// @endcode
template <typename PointT>
class EquivarianceEvaluation {
 public:
  using Cloud = pcl::PointCloud<PointT>;
  using CloudConstPtr = typename Cloud::ConstPtr;

  /// Fills `rows`, row-major, and returns the width of a row.
  using RowCallable = std::function<std::size_t(const CloudConstPtr& cloud, std::vector<double>& rows)>;
  /// Returns which points are kept.
  using KeepCallable = std::function<pcl::Indices(const CloudConstPtr& cloud)>;

  void setInputCloud(const CloudConstPtr& cloud) { input_ = cloud; }
  const CloudConstPtr& getInputCloud() const { return input_; }

  /// Sets permutations, seed, precision and progress.
  void setOptions(const EquivarianceOptions& options) { options_ = options; }
  const EquivarianceOptions& getOptions() const { return options_; }

  /// Returns the report for a feature: rows, or with OutputKind::global_row or unordered_set as named.
  /// @param output_field  float field of PointOutT that is compared; default: its only float array
  /// @throws std::invalid_argument without an input or for another kind, std::runtime_error if the feature
  ///         gives no row, whatever else evaluate_equivariance() throws.
  template <typename PointOutT>
  EquivarianceReport evaluate(pcl::Feature<PointT, PointOutT>& feature, OutputKind kind = OutputKind::rows,
                              const std::string& output_field = "") const;

  /// Returns the report for a filter that rewrites points: rows (all float fields of all points), or the
  /// points it gives as an unordered set.
  EquivarianceReport evaluate(pcl::Filter<PointT>& filter, OutputKind kind = OutputKind::rows) const;

  /// Returns the report for the set of points that a filter keeps.
  EquivarianceReport evaluateKept(pcl::FilterIndices<PointT>& filter) const;

  /// Returns the report for a callable. @throws std::invalid_argument for OutputKind::kept_set.
  EquivarianceReport evaluate(const RowCallable& callable, OutputKind kind = OutputKind::rows) const;
  EquivarianceReport evaluateKept(const KeepCallable& callable) const;

  /// Returns how far a callable depends on each kind of change: jitter, rigid motion and density beside
  /// permutations. Permutations, seed, precision and progress are those of `options`.
  /// @throws std::invalid_argument for OutputKind::kept_set, whatever else measure_sensitivity() throws.
  SensitivityReport measure(const RowCallable& callable, const SensitivityOptions& options = {},
                            OutputKind kind = OutputKind::rows) const;
  SensitivityReport measureKept(const KeepCallable& callable, const SensitivityOptions& options = {}) const;

 private:
  RowOperator operatorOf(const RowCallable& callable) const;
  KeepOperator operatorOf(const KeepCallable& callable) const;
  CloudConstPtr cloudOf(const CloudView& view) const;
  CloudView view() const;

  CloudConstPtr input_;
  EquivarianceOptions options_;
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/equivariance_evaluation.hpp"
