// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/devices.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "shared_options.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

void print(const CudaDevices& found) {
  const bool built = !found.architectures.empty();
  std::printf("devices: %zu for cuda, %s%s\n", found.devices.size(),
              built ? "code for compute capabilities " : "built without CUDA", found.architectures.c_str());
  if (!found.fault.empty()) std::printf("cuda: %s\n", found.fault.c_str());
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    const CudaDevice& device = found.devices[i];
    std::printf("cuda:%zu %s, compute capability %s, %.1f GiB, %zu multiprocessors: %s\n", i,
                device.name.c_str(), device.compute_capability.c_str(),
                static_cast<double>(device.memory) / 1073741824.0, device.num_multiprocessors,
                device.fault.empty() ? "works" : device.fault.c_str());
  }
}

nlohmann::json to_json(const CudaDevices& found) {
  nlohmann::json devices = nlohmann::json::array();
  for (const CudaDevice& device : found.devices)
    devices.push_back({{"name", device.name},
                       {"compute_capability", device.compute_capability},
                       {"memory", device.memory},
                       {"multiprocessors", device.num_multiprocessors},
                       {"works", device.fault.empty()},
                       {"fault", device.fault}});
  return {{"devices", devices}, {"fault", found.fault}, {"architectures", found.architectures}};
}

int run(const SharedOptions& options) {
  check_writable({options.json});
  const CudaDevices found = cuda_devices();
  print(found);
  write_json(options, to_json(found).dump(2));
  return 0;
}

}  // namespace

void add_devices(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("devices", "list the CUDA devices, or why there is none");
  const auto options = std::make_shared<SharedOptions>();
  verb->add_option("--json", options->json, "write the list as JSON")->type_name("FILE");
  verb->footer("Example:\n  pcl_attention devices");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
