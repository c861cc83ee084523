// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace pcl_attention {

/// Returns why Device::cuda cannot run on a device, with what this build and this machine have; empty if it
/// can. Asks the driver once for each device.
std::string cuda_fault(std::size_t device_index);

/// Returns the device's name. Requires that cuda_fault() is empty.
std::string cuda_device_name(std::size_t device_index);

}  // namespace pcl_attention
