// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tile_kernels.h"

#include <random>

namespace pcl_attention::bench {
namespace {

using simd::kTilePoints;

double count(std::size_t a, std::size_t b = 1) { return static_cast<double>(kTilePoints * a * b); }

}  // namespace

TileKernels::TileKernels(const ModelConfig& config) {
  const std::size_t inner = config.heads * config.head_width;
  add_linear("query", inner, config.channels, simd::Finish::none);
  add_attend(config);
  add_linear("output", config.channels, inner, simd::Finish::add);
  add_norm(config.channels);
  add_linear("feed_forward_in", config.feed_forward, config.channels, simd::Finish::gelu);
  add_linear("feed_forward_out", config.channels, config.feed_forward, simd::Finish::add);
  add_norm(config.channels);
  add_accumulate(config.channels, config.projection.k);
}

float* TileKernels::numbers(std::size_t count) {
  std::mt19937 generator(static_cast<std::uint32_t>(memory_.size()));
  float* values = memory_.emplace_back().reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(generator() >> 8) / 8388608.0F - 1.0F;
  return values;
}

void TileKernels::add(const std::string& name, double flops, double exponentials,
                      const std::function<void()>& call) {
  kernels_.push_back({name, flops, exponentials, [call] {
                        for (int i = 0; i < kRepeats; ++i) call();
                      }});
}

void TileKernels::add_linear(const std::string& name, std::size_t rows, std::size_t columns,
                             simd::Finish finish) {
  float* packed = numbers(simd::packed_size(rows, columns));
  const simd::Linear map{packed, numbers(rows), rows, columns};
  simd::pack_matrix(numbers(rows * columns), rows, columns, columns, 1, 0.1F, packed);
  const float *x = numbers(columns * kTilePoints), *other = numbers(rows * kTilePoints);
  float* y = numbers(rows * kTilePoints);
  add(name, 2.0 * count(rows, columns), finish == simd::Finish::gelu ? count(rows) : 0.0,
      [=] { simd::linear(map, x, finish, other, y); });
}

void TileKernels::add_attend(const ModelConfig& config) {
  const std::size_t inner = config.heads * config.head_width, slots = config.projection.k;
  simd::KeyValues kv;
  kv.heads = config.heads;
  kv.head_width = kv.value_width = config.head_width;
  kv.capacity = (slots + simd::kKeyBlock - 1) / simd::kKeyBlock * simd::kKeyBlock;
  kv.count = slots;
  kv.keys = numbers(kv.heads * kv.key_size());
  kv.values = numbers(kv.heads * kv.value_size());
  const float* q = numbers(inner * kTilePoints);
  float *out = numbers(inner * kTilePoints), *scratch = numbers(simd::attend_scratch_size());
  add("attend", 4.0 * count(slots, inner), count(slots, config.heads),
      [=] { simd::attend(kv, {q}, out, scratch); });
}

void TileKernels::add_norm(std::size_t channels) {
  const float *x = numbers(channels * kTilePoints), *weight = numbers(channels), *bias = numbers(channels);
  float* y = numbers(channels * kTilePoints);
  add("norm", 0.0, 0.0, [=] { simd::layer_norm(x, channels, weight, bias, y); });
}

void TileKernels::add_accumulate(std::size_t channels, std::size_t slots) {
  const std::size_t padded = padded_slots(slots);
  const float *x = numbers(channels * kTilePoints), *e = numbers(padded * kTilePoints);
  double* sums = sums_.emplace_back(channels * padded, 0.0).data();
  add("accumulate", 2.0 * count(channels, slots), 0.0,
      [=] { simd::accumulate(x, channels, kTilePoints, e, padded, sums); });
}

}  // namespace pcl_attention::bench
