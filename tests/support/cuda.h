// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "exec/cuda_devices.h"
#include "pcl_attention/devices.h"

/// Skips a test, and says why, where no CUDA device works.
#define PCL_ATTENTION_NEEDS_CUDA()                            \
  do {                                                        \
    const std::string fault = ::pcl_attention::cuda_fault(0); \
    if (!fault.empty()) GTEST_SKIP() << "skipped: " << fault; \
  } while (false)

namespace pcl_attention::test {

/// Returns true if the device is a CPU that runs the kernels' text, a thousand times slower.
inline bool is_emulated() { return cuda_devices().architectures == "emulated"; }

}  // namespace pcl_attention::test
