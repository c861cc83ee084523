// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cuda_emulation/threads.h"

// The words of CUDA that our kernels use, for any C++ compiler. A kernel that uses another does not compile
// here.

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)

#define threadIdx (::cuda_emulation::place().thread)
#define blockIdx (::cuda_emulation::place().block)
#define blockDim (::cuda_emulation::place().block_size)
#define gridDim (::cuda_emulation::place().grid_size)

#define GPU_SHARED(T, name, ...)         \
  using name##_array = T __VA_ARGS__;    \
  static const char name##_identity = 0; \
  name##_array& name =                   \
      *static_cast<name##_array*>(::cuda_emulation::static_shared(&name##_identity, sizeof(name##_array)))
#define GPU_DYNAMIC_SHARED(T, name) T* const name = static_cast<T*>(::cuda_emulation::dynamic_shared())
#define GPU_LAUNCH(kernel, blocks, threads, shared, stream, ...) \
  ::cuda_emulation::launch(#kernel, (blocks), (threads), (shared), (stream), kernel, __VA_ARGS__)

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  cuda_emulation::block_barrier({file, line});
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  int nothing = 0;
  cuda_emulation::warp_operation(cuda_emulation::WarpOperation::sync, mask, &nothing, sizeof nothing, 0,
                                 {file, line});
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
  cuda_emulation::warp_operation(cuda_emulation::WarpOperation::from_lane, mask, &value, sizeof value, lane,
                                 {file, line});
  return value;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  cuda_emulation::warp_operation(cuda_emulation::WarpOperation::from_xor, mask, &value, sizeof value, lanes,
                                 {file, line});
  return value;
}
inline unsigned long long atomicAdd(unsigned long long* at, unsigned long long value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
inline unsigned long long atomicMax(unsigned long long* at, unsigned long long value) {
  unsigned long long old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (old < value &&
         !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }

inline float sin_pi(float x) {
  return static_cast<float>(std::sin(3.14159265358979323846 * static_cast<double>(x)));
}
inline float cos_pi(float x) {
  return static_cast<float>(std::cos(3.14159265358979323846 * static_cast<double>(x)));
}
