// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

// A device in host memory, whose kernels run through tests/cuda_emulation: the engine's own code around them.
// Nothing that passes here is said to run on a GPU.

namespace pcl_attention::test {

/// What the emulated device is asked for and may refuse. Set while no engine works.
struct EmulatedDevice {
  std::size_t free_bytes = std::size_t{1} << 40;
  std::size_t calls_until_fault = 0;  ///< the call of the runtime that then fails; 0: none does
  std::string fault;                  ///< why no kernel runs there
  bool gone = false;                  ///< the driver has shut down: memory is not given back

  // Counted.
  std::size_t calls = 0, synchronisations = 0, allocations = 0;
  std::size_t live = 0;  ///< pieces of memory and streams that are held
};

EmulatedDevice& emulated_device();

}  // namespace pcl_attention::test
