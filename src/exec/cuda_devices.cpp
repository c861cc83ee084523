// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda_devices.h"

#include <cstddef>
#include <map>
#include <mutex>

#include "cuda/devices.h"
#include "pcl_attention/devices.h"

namespace pcl_attention {
namespace {

std::string capability(const cuda::DeviceInfo& info) {
  return std::to_string(info.major) + "." + std::to_string(info.minor);
}

/// Returns why no kernel runs on a device of the list; empty if one does.
std::string fault_of(const cuda::DeviceInfo& info, std::size_t index) {
  const std::string fault = cuda::device_fault(static_cast<int>(index));
  if (fault.empty()) return {};
  return "device " + std::to_string(index) + " is " + info.name + ", compute capability " + capability(info) +
         ", this build has code for " + cuda::built_architectures() + ": " + fault;
}

std::string find_fault(std::size_t index) {
  const cuda::DeviceList list = cuda::list_devices();
  if (!list.fault.empty()) return "no CUDA device: " + list.fault;
  if (index < list.devices.size()) return fault_of(list.devices[index], index);
  return "no CUDA device " + std::to_string(index) + ", there are " + std::to_string(list.devices.size());
}

}  // namespace

CudaDevices cuda_devices() {
  const cuda::DeviceList list = cuda::list_devices();
  CudaDevices result;
  result.fault = list.fault;
  result.architectures = cuda::built_architectures();
  for (const cuda::DeviceInfo& info : list.devices)
    result.devices.push_back({info.name, capability(info), info.memory, info.num_multiprocessors,
                              fault_of(info, result.devices.size())});
  return result;
}

std::string cuda_fault(std::size_t device_index) {
  static std::mutex mutex;
  static std::map<std::size_t, std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(device_index);
  return found != known.end() ? found->second : known[device_index] = find_fault(device_index);
}

std::string cuda_device_name(std::size_t device_index) {
  return cuda::list_devices().devices.at(device_index).name;
}

}  // namespace pcl_attention
