// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/features/feature.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "pcl_attention/pcl/attention_base.h"
#include "pcl_attention/pcl/attention_signature.h"

namespace pcl_attention {

/// A pcl::Feature whose rows come from a model: no search tree, no k, no radius.
template <typename PointInT, typename PointOutT>
class AttentionFeature : public pcl::Feature<PointInT, PointOutT>, public AttentionBase {
 public:
  using PointCloudOut = typename pcl::Feature<PointInT, PointOutT>::PointCloudOut;

  /// Sets which float field of PointOutT takes the rows; default: its only float array.
  /// @throws std::invalid_argument if PointOutT has no such field.
  void setOutputField(const std::string& name);
  const std::string& getOutputField() const { return output_field_; }

 protected:
  bool initCompute() override;

  /// Fills the output; may throw.
  virtual void estimate(PointCloudOut& output) = 0;
  /// Writes [output.size() × width] rows into the output field.
  void writeRows(const std::vector<float>& rows, PointCloudOut& output) const;
  bool hasForeignSurface() const { return this->surface_ != nullptr && this->surface_ != this->input_; }

 private:
  void computeFeature(PointCloudOut& output) override;
  std::string functionName() const { return this->getClassName() + "::compute"; }

  std::string output_field_;
  std::size_t output_offset_ = 0;  // of the output field in PointOutT
};

}  // namespace pcl_attention

#include "pcl_attention/pcl/impl/attention_feature.hpp"
