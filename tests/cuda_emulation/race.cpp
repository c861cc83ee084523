// SPDX-License-Identifier: BSD-3-Clause
// A kernel whose threads count without atomics: right by value in every schedule, reported by
// ThreadSanitizer.
#include "cuda_emulation/emulation.h"
#include "cuda_emulation/words.h"

namespace {

void count_kernel(int* out) {
  GPU_SHARED(int, count, [1]);
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  count[0] += 1;
  __syncthreads();
  if (threadIdx.x == 0) *out = count[0];
}

}  // namespace

int main() {
  int out = 0;
  cuda_emulation::launch("count", 1, 64, 0, nullptr, &count_kernel, &out);
  return out == 64 ? 0 : 1;
}
