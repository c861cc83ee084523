// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cuda/device_rates.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace pcl_attention::bench {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 29;
constexpr int kRounds = 5, kChains = 8, kSteps = 4096, kThreads = 256;

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

__global__ void multiply_add(float* out, float factor, float term) {
  float x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = static_cast<float>(threadIdx.x + c);
  for (int i = 0; i < kSteps; ++i)
    for (int c = 0; c < kChains; ++c) x[c] = fmaf(x[c], factor, term);
  float sum = 0.0F;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  if (sum == 1.2345F) out[0] = sum;  // never, but nothing is left out
}

/// Returns the least seconds that work on the stream takes.
double seconds(const std::function<void()>& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float least = 1e30F;
  for (int round = 0; round <= kRounds; ++round) {
    check(cudaEventRecord(begin));
    work();
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0.0F;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (round != 0) least = std::min(least, milliseconds);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return 1e-3 * static_cast<double>(least);
}

}  // namespace

DeviceRates measure_device() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  float *from = nullptr, *to = nullptr, *host = nullptr;
  check(cudaMalloc(&from, kBytes));
  check(cudaMalloc(&to, kBytes));
  check(cudaMallocHost(&host, kBytes));
  const auto copy = [&](void* a, const void* b, cudaMemcpyKind kind) {
    return seconds([=] { check(cudaMemcpyAsync(a, b, kBytes, kind)); });
  };
  DeviceRates rates;
  const double bytes = static_cast<double>(kBytes);
  rates.copied_bytes = 2.0 * bytes / copy(to, from, cudaMemcpyDeviceToDevice);
  rates.uploaded_bytes = bytes / copy(to, host, cudaMemcpyHostToDevice);
  rates.downloaded_bytes = bytes / copy(host, from, cudaMemcpyDeviceToHost);
  const int blocks = 16 * properties.multiProcessorCount;
  const double adds = static_cast<double>(blocks) * kThreads * kChains * kSteps;
  rates.flops = 2.0 * adds / seconds([=] { multiply_add<<<blocks, kThreads>>>(to, 0.999F, 0.5F); });
  check(cudaFree(from));
  check(cudaFree(to));
  check(cudaFreeHost(host));
  return rates;
}

}  // namespace pcl_attention::bench
