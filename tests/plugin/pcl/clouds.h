// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <vector>

#include "pcl_attention/pcl/attention_signature.h"
#include "support/clouds.h"

namespace pcl_attention::test {

using Signature = AttentionSignature<64>;
using Signatures = pcl::PointCloud<Signature>;

/// Returns n random points, the same for the same seed.
inline pcl::PointCloud<pcl::PointXYZ>::Ptr random_points(std::size_t n, std::uint32_t seed) {
  const FloatCloud values = random_cloud(n, seed);
  pcl::PointCloud<pcl::PointXYZ>::Ptr cloud(new pcl::PointCloud<pcl::PointXYZ>);
  for (std::size_t i = 0; i < n; ++i)
    cloud->push_back(pcl::PointXYZ(values.row(i)[0], values.row(i)[1], values.row(i)[2]));
  return cloud;
}

/// Returns the numbers of a signature, comparable bit by bit.
inline std::vector<float> row_of(const Signatures& signatures, std::size_t i) {
  const float* const first = signatures[i].descriptor;
  return {first, first + Signature::descriptorSize()};
}

}  // namespace pcl_attention::test
