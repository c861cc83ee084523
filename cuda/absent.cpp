// SPDX-License-Identifier: BSD-3-Clause
// What a build without CUDA answers.
#include "cuda/devices.h"
#include "cuda/engine.h"
#include "pcl_attention/error.h"

namespace pcl_attention::cuda {

DeviceList list_devices() { return {{}, "this build has no CUDA"}; }

std::string device_fault(int) { return list_devices().fault; }

std::string built_architectures() { return {}; }

std::unique_ptr<Engine> make_engine(const NetworkDescription&, int) {
  throw DeviceError(list_devices().fault);
}

}  // namespace pcl_attention::cuda
