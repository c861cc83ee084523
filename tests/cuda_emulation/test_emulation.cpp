// SPDX-License-Identifier: BSD-3-Clause
// The emulation finds what is wrong with kernels that are wrong on purpose.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "cuda_emulation/emulation.h"
#include "cuda_emulation/words.h"

namespace cuda_emulation {
namespace {

constexpr unsigned kAll = 0xFFFFFFFFU;

/// Sums 64 numbers; without the barriers a thread may come before those it waits for.
template <bool kBarrier>
void sum_kernel(const float* x, float* sum) {
  GPU_SHARED(float, shared, [64]);
  shared[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    if (kBarrier) __syncthreads();
  }
  if (threadIdx.x == 0) *sum = shared[0];
}

template <bool kBarrier>
std::vector<float> sums() {
  std::vector<float> x(64), result;
  std::iota(x.begin(), x.end(), 1.0F);
  for (const Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::shuffled}) {
    set_schedule(schedule, 3);
    float sum = 0.0F;
    launch("sum", 1, 64, 0, nullptr, &sum_kernel<kBarrier>, x.data(), &sum);
    result.push_back(sum);
  }
  set_schedule(Schedule::forward);
  return result;
}

TEST(Emulation, RunsBarriers) { EXPECT_EQ(sums<true>(), std::vector<float>(3, 2080.0F)); }

#ifndef __SANITIZE_THREAD__  // which would report the race
TEST(Emulation, AMissingBarrierChangesValues) { EXPECT_NE(sums<false>(), std::vector<float>(3, 2080.0F)); }
#endif

template <class... Parameters, class... Arguments>
std::string error_of(unsigned threads, void (*kernel)(Parameters...), Arguments... arguments) {
  try {
    launch("faulty", 2, threads, 16, nullptr, kernel, arguments...);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_named(const std::string& error, const std::string& part) {
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

void divergent_kernel() {
  if (threadIdx.x < 7)
    __syncthreads();
  else
    __syncthreads();
}

TEST(Emulation, NamesThreadsAtDifferentBarriers) {
  const std::string error = error_of(32, &divergent_kernel);
  for (const char* part : {"kernel faulty", "thread (0, 0, 0) of block (0, 0, 0)", "thread (7, 0, 0)",
                           "different barriers", "test_emulation.cpp:"})
    expect_named(error, part);
}

void early_exit_kernel(float* out) {
  if (threadIdx.x >= 20) return;
  *out += __shfl_xor_sync(kAll, 1.0F, 1);
}

TEST(Emulation, NamesALaneThatHasEnded) {
  float out = 0.0F;
  expect_named(error_of(32, &early_exit_kernel, &out), "thread (20, 0, 0) of block (0, 0, 0) has ended");
}

void stuck_kernel() {
  if (threadIdx.x < 32 && threadIdx.x != 5)
    __syncwarp();
  else
    __syncthreads();
}

TEST(Emulation, NamesWhoWaitsForever) {
  const std::string error = error_of(64, &stuck_kernel);
  expect_named(error, "nobody can go on");
  expect_named(error, "waits for its warp in");
}

void mixed_kernel(int* out) {
  *out = threadIdx.x % 2 == 0 ? __shfl_sync(kAll, 1, 0) : __shfl_xor_sync(kAll, 1, 1);
}

TEST(Emulation, NamesLanesInDifferentOperations) {
  int out = 0;
  expect_named(error_of(32, &mixed_kernel, &out), "different operations");
}

TEST(Emulation, RefusesWhatAGpuDoes) {
  expect_named(error_of(33, &stuck_kernel), "multiple of 32");
  expect_named(error_of(2048, &stuck_kernel), "2048 threads");
  EXPECT_THROW(launch("none", 0, 32, 0, nullptr, &stuck_kernel), Error);
  EXPECT_THROW(launch("tall", {1, 65536}, 32, 0, nullptr, &stuck_kernel), Error);
  EXPECT_THROW(launch("large", 1, 32, 48 * 1024 + 1, nullptr, &stuck_kernel), Error);
}

void too_much_kernel() {
  GPU_SHARED(float, shared, [12 * 1024 - 3]);
  GPU_DYNAMIC_SHARED(float, dynamic);
  if (threadIdx.x == 0) shared[0] = dynamic[0];
}

TEST(Emulation, RefusesMoreSharedMemoryThanABlockHas) {
  expect_named(error_of(32, &too_much_kernel), "more than 48 KB");
}

void shuffle_kernel(unsigned* out) {
  const unsigned lane = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x;
  unsigned value = __shfl_xor_sync(kAll, lane, 5) * 100 + __shfl_sync(kAll, lane, 3);
  if (lane % 2 != 0) value += __shfl_sync(0xAAAAAAAAU, lane, 31) * 10000;
  out[i] = value;
}

TEST(Emulation, Shuffles) {
  std::vector<unsigned> out(128);
  launch("shuffle", 2, 64, 0, nullptr, &shuffle_kernel, out.data());
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], (i % 32 ^ 5U) * 100 + 3 + (i % 2 != 0 ? 31 * 10000 : 0)) << i;
}

void poison_kernel(float* out, float* of_lane) {
  GPU_SHARED(float, shared, [2]);
  GPU_DYNAMIC_SHARED(float, dynamic);
  if (threadIdx.x >= 16) return;
  const float other = __shfl_sync(0xFFFFU, 1.0F, 20);
  if (threadIdx.x != 0) return;
  *of_lane = other;
  *out = shared[1] + dynamic[3];
}

TEST(Emulation, WhatNobodyWroteIsNaN) {
  float out = 0.0F, of_lane = 0.0F;
  launch("poison", 1, 32, 16, nullptr, &poison_kernel, &out, &of_lane);
  EXPECT_TRUE(std::isnan(out));
  EXPECT_TRUE(std::isnan(of_lane));
}

void grid_kernel(unsigned* count) {
  count[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += 1;
}

TEST(Emulation, RunsEveryThreadOnce) {
  std::vector<unsigned> count(3 * 5 * 96);
  set_schedule(Schedule::shuffled, 9);
  launch("grid", {3, 5}, 96, 0, nullptr, &grid_kernel, count.data());
  set_schedule(Schedule::forward);
  EXPECT_EQ(count, std::vector<unsigned>(count.size(), 1));
}

}  // namespace
}  // namespace cuda_emulation
