// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pcl_attention/export.h"

namespace pcl_attention {

/// A CUDA device, as its driver describes it.
struct CudaDevice {
  std::string name;
  std::string compute_capability;  ///< "9.0"
  std::size_t memory = 0;          ///< bytes
  std::size_t num_multiprocessors = 0;
  std::string fault;  ///< why Device::cuda cannot run there; empty: it can
};

/// What there is for Device::cuda.
struct CudaDevices {
  std::vector<CudaDevice> devices;  ///< by device_index
  std::string fault;                ///< why there is none: no driver, no device, built without CUDA
  std::string
      architectures;  ///< compute capabilities this build holds code for: "7.5 9.0 12.0+"; + = and later
};

/// Returns the CUDA devices of this machine. Each is tried with an empty kernel. Never throws for want of a
/// device or driver. Safe from several threads.
PCL_ATTENTION_EXPORT CudaDevices cuda_devices();

}  // namespace pcl_attention
