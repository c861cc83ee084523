// SPDX-License-Identifier: BSD-3-Clause
#include "attention/engine.h"
#include "exec/cuda_devices.h"
#include "pcl_attention/error.h"

namespace pcl_attention {

std::string cuda_lacks(const ModelConfig&) { return "everything"; }

std::unique_ptr<Engine> make_cuda_engine(ModelPtr model, std::size_t device_index) {
  const std::string fault = cuda_fault(device_index);
  if (!fault.empty()) throw DeviceError("device cuda: " + fault);
  const std::string lacks = cuda_lacks(model->config());
  throw ModelError("the CUDA engine does not have " + lacks + " yet; use the device cpu");
}

}  // namespace pcl_attention
