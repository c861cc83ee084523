// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/cloud.h"

namespace pcl_attention {

/// Returns the larger of two distances between neighbouring numbers: that of `type` at `stored`, the
/// largest |x| in the cloud, and that of float32 at `kept`, the largest |x − origin|.
/// Integers are 1 apart, or as far as the double they are read into.
double coordinate_step(FieldType type, double stored, double kept);

}  // namespace pcl_attention
