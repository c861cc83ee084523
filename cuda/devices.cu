// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/devices.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "cuda/runtime.h"

namespace pcl_attention::cuda {
namespace {

__global__ void probe_kernel() {}

std::string text(cudaError_t code) {
  return std::string(cudaGetErrorName(code)) + ", " + cudaGetErrorString(code);
}

/// Returns why there is no list: a driver that is not there is told from one that is too old.
std::string list_fault(cudaError_t code) {
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version == 0)
    return "no NVIDIA driver on this machine";
  return text(code);
}

DeviceInfo describe(const cudaDeviceProp& properties) {
  DeviceInfo info;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.memory = properties.totalGlobalMem;
  info.num_multiprocessors = static_cast<std::size_t>(properties.multiProcessorCount);
  return info;
}

}  // namespace

DeviceList list_devices() {
  DeviceList list;
  int count = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count == 0) code = cudaErrorNoDevice;
  for (int device = 0; code == cudaSuccess && device < count; ++device) {
    cudaDeviceProp properties;
    code = cudaGetDeviceProperties(&properties, device);
    if (code == cudaSuccess) list.devices.push_back(describe(properties));
  }
  if (code == cudaSuccess) return list;
  cudaGetLastError();
  list.devices.clear();
  list.fault = list_fault(code);
  return list;
}

std::string device_fault(int device) {
  const DeviceScope scope(device);
  cudaError_t code = cudaSetDevice(device);
  if (code == cudaSuccess) {
    probe_kernel<<<1, 32>>>();
    code = cudaGetLastError();
  }
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  if (code == cudaSuccess) return {};
  cudaGetLastError();
  return text(code);
}

std::string built_architectures() { return PCL_ATTENTION_CUDA_ARCHITECTURES; }

}  // namespace pcl_attention::cuda
