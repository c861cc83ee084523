// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pcl_attention::cuda {

/// A device, as the driver describes it.
struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  std::size_t memory = 0;    ///< bytes
  std::size_t num_multiprocessors = 0;
};

/// The devices there are, or why there is none.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::string fault;
};

/// Returns what the driver lists. Never throws.
DeviceList list_devices();

/// Returns why this build cannot run on a device of the list; empty if a kernel ran there. Never throws.
std::string device_fault(int device);

/// Returns the compute capabilities this build holds code for: "7.5 9.0 12.0+"; + means and later ones.
/// Empty without CUDA.
std::string built_architectures();

}  // namespace pcl_attention::cuda
