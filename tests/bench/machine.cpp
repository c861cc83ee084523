// SPDX-License-Identifier: BSD-3-Clause
#include "bench/machine.h"

#include <cblas.h>
#include <unistd.h>

#include <cstdlib>

#include "bench/exp_loop.h"
#include "exec/parallel.h"

namespace pcl_attention::bench {
namespace {

constexpr std::size_t kNumbers = 4096, kRepeats = 2000, kBlocks = 8;
constexpr double kExponentials = kBlocks * kNumbers * kRepeats;  // per thread

}  // namespace

void Machine::measure(Rates& clock, Rates& processor) {
  openblas_set_num_threads(num_threads_);
  const int n = static_cast<int>(size_);
  const Seconds product = time_call([&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0F, a_.data(), n, b_.data(), n, 0.0F,
                c_.data(), n);
  });
  const double size = static_cast<double>(size_), flops = 2.0 * size * size * size;
  clock.raise(clock.flops, flops, product.wall);
  processor.raise(processor.flops, flops, product.cpu);
  const Seconds bare = bare_exponentials();
  clock.raise(clock.exponentials, kExponentials * num_threads_, bare.wall);
  processor.raise(processor.exponentials, kExponentials * num_threads_, bare.cpu);
}

Seconds Machine::bare_exponentials() const {
  const std::size_t blocks = kBlocks * static_cast<std::size_t>(num_threads_);
  Threads threads(static_cast<unsigned>(num_threads_));
  return time_call([&] {
    threads.run([&] {
      for_each_block(blocks, 1, [&](std::size_t, std::size_t) {
        alignas(64) float x[kNumbers];
        for (std::size_t i = 0; i < kNumbers; ++i) x[i] = -static_cast<float>(i) / 512.0F;
        for (std::size_t repeat = 0; repeat < kRepeats; ++repeat) exponentials(x, kNumbers);
      });
    });
  });
}

void choose_openblas(const std::string& target, char** argv) {
  const char* core = target == "AVX2" ? "HASWELL" : target.rfind("AVX3", 0) == 0 ? "SKYLAKEX" : nullptr;
  if (core == nullptr || std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  ::setenv("OPENBLAS_CORETYPE", core, 1);
  ::execv("/proc/self/exe", argv);
}

const char* openblas_core() { return openblas_get_corename(); }

}  // namespace pcl_attention::bench
