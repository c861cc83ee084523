// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

// Runs CUDA kernels on a CPU, one fiber per thread, block after block, for tests. It finds wrong values,
// missing barriers, divergent barriers and masks, and memory that is read before it is written; with the
// sanitizers also accesses out of bounds and races. It says nothing of speed, code generation or memory order
// on a GPU.

struct CUstream_st;

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

namespace cuda_emulation {

/// In which sequence threads of a block, and blocks, run between two barriers.
enum class Schedule { forward, reverse, shuffled };

/// Sets the schedule of the launches to come; of `shuffled` with its seed.
void set_schedule(Schedule schedule, std::uint64_t seed = 1);

/// A fault of a kernel: it names kernel, block and the threads, and where they wait.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is launched: body(argument) for every thread.
struct Grid {
  const char* kernel;
  dim3 blocks, threads;
  std::size_t shared_bytes;
  void (*body)(void*);
  void* argument;
};

/// @throws Error
void run(const Grid& grid);

template <class... Parameters, class... Arguments>
void launch(const char* name, dim3 blocks, dim3 threads, std::size_t shared_bytes, CUstream_st*,
            void (*kernel)(Parameters...), Arguments&&... arguments) {
  static_assert((std::is_trivially_copyable_v<std::decay_t<Parameters>> && ...));
  struct Call {
    void (*kernel)(Parameters...);
    std::tuple<std::decay_t<Parameters>...> arguments;
  } call{kernel, {std::forward<Arguments>(arguments)...}};
  const auto body = [](void* argument) {
    auto* of_thread = static_cast<Call*>(argument);
    std::apply(of_thread->kernel, of_thread->arguments);
  };
  run({name, blocks, threads, shared_bytes, body, &call});
}

}  // namespace cuda_emulation
