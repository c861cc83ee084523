// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <stdexcept>

#include "pcl_attention/neighbourhood.h"
#include "pcl_attention/pcl/attention_outlier_removal.h"

namespace pcl_attention {

template <typename PointT>
std::vector<std::uint8_t> AttentionOutlierRemoval<PointT>::decide(const CloudView& cloud) {
  if (!this->getSensorOrigin() && needs_sensor_origin(this->getModel()->config().input))
    throw std::invalid_argument("the model reads angle of view or range: call setSensorOrigin() first");
  std::vector<float> answers;
  std::vector<std::uint8_t> states = this->inliers(cloud, getThreshold(), answers);
  if (this->fake_indices_) {
    probabilities_.swap(answers);
    return states;
  }
  probabilities_.assign(view_of(*this->input_).num_points(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < answers.size(); ++i)
    probabilities_[static_cast<std::size_t>((*this->indices_)[i])] = answers[i];
  return states;
}

}  // namespace pcl_attention
