// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>

#include "cuda/kernel_test.h"
#include "kernels/summary.h"

namespace pcl_attention::test {

/// A surface with tokens that take no part, and padded rows.
struct TestSurface {
  TestSurface(std::size_t n, std::size_t padded, bool masked) : keep(random_mask(n, 11)) {
    view.n = n;
    view.num_ranked = masked ? n - n / 8 : n;
    view.padded = padded;
    if (masked) view.keep = keep.data();
  }
  bool takes_part(std::size_t i) const {
    return i >= view.n || (i < view.num_ranked && (view.keep == nullptr || keep[i] != 0));
  }
  std::size_t rank(std::size_t i) const { return i < view.n ? i : view.num_ranked + i - view.n; }

  std::vector<std::uint8_t> keep;
  gpu::SurfaceView view;
};

/// Sums of `batches` over a surface, channels of a batch side by side in x.
struct TestSums {
  TestSums(const TestSurface& of, std::size_t slots, std::size_t channels, std::size_t batches)
      : surface(of), x(random_numbers(of.view.total() * channels * batches, 12)) {
    args.surface = of.view;
    args.x = x.data();
    args.x_stride = channels * batches;
    args.batch_step = args.channels = static_cast<std::uint32_t>(channels);
    args.batches = static_cast<std::uint32_t>(batches);
    args.slots = static_cast<std::uint32_t>(slots);
    partial.assign(gpu::num_chunks(of.view.total()) * args.sums_size(), std::nan(""));
    args.partial = partial.data();
  }

  /// Returns the merged sums.
  std::vector<double> merged() const {
    std::vector<double> sums(args.sums_size(), std::nan(""));
    gpu::merge_chunks(partial.data(), gpu::num_chunks(surface.view.total()), sums.size(), sums.data(),
                      nullptr);
    return sums;
  }

  /// Returns Σ e x and Σ e for e(batch, row, slot).
  using Entry = std::function<double(std::size_t, std::size_t, std::size_t)>;
  std::vector<double> expected(const Entry& entry) const {
    const std::size_t channels = args.channels, columns = channels + 1;
    std::vector<double> sums(args.sums_size());
    for (std::size_t b = 0; b < args.batches; ++b)
      for (std::size_t i = 0; i < surface.view.total(); ++i)
        for (std::size_t j = 0; surface.takes_part(i) && j < args.slots; ++j) {
          const double e = entry(b, i, j);
          double* const out = sums.data() + (b * args.slots + j) * columns;
          for (std::size_t c = 0; c < channels; ++c)
            out[c] += e * number(x[i * args.x_stride + b * channels + c]);
          out[channels] += e;
        }
    return sums;
  }

  TestSurface surface;
  Numbers x;
  gpu::PointSums args;
  std::vector<double> partial;
};

/// Sizes around those of warps, tiles and chunks.
constexpr std::size_t kSurfaceSizes[] = {0, 1, 31, 32, 33, 129, 256, 257, 1100};

}  // namespace pcl_attention::test
