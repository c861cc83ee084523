// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace pcl_attention::bench {

/// What a device reaches with nothing else to do, per second.
struct DeviceRates {
  double copied_bytes = 0.0;  ///< read and written by a copy of 512 MiB on the device
  double flops = 0.0;         ///< of fused multiply-adds in registers, float32, two each; no tensor cores
  double uploaded_bytes = 0.0, downloaded_bytes = 0.0;  ///< from and to pinned host memory
};

/// Measures device 0; the best of several rounds. @throws std::runtime_error
DeviceRates measure_device();

}  // namespace pcl_attention::bench
