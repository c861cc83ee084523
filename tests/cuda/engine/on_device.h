// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda/memory.h"
#include "pcl_attention/encoder.h"
#include "support/clouds.h"

namespace pcl_attention::test {

/// Numbers on device 0.
class OnDevice {
 public:
  OnDevice(const void* from, std::size_t bytes, cuda::StreamHandle stream) : bytes_(bytes) {
    memory_.require(bytes_ + 1, "a test");
    std::byte* const host = host_.reserve(bytes_ + 1);
    if (from != nullptr && bytes_ != 0) std::memcpy(host, from, bytes_);
    cuda::runtime::copy_to_device(memory_.data(), host_.reserve(bytes_), bytes_, stream);
  }

  template <class T>
  std::vector<T> bring(cuda::StreamHandle stream) {
    cuda::runtime::copy_to_host(host_.reserve(bytes_), memory_.data(), bytes_, stream);
    cuda::runtime::synchronise(stream);
    std::vector<T> numbers(bytes_ / sizeof(T));
    if (bytes_ != 0) std::memcpy(numbers.data(), host_.reserve(bytes_), bytes_);
    return numbers;
  }

  std::byte* data() const { return memory_.data(); }

 private:
  std::size_t bytes_;
  cuda::DeviceMemory memory_{0};
  cuda::PinnedMemory host_;
};

struct Encoded {
  std::vector<float> rows;
  EncodeResult result;
};

inline Encoded encode_on_host(Encoder& encoder, const FloatCloud& cloud, const std::uint8_t* mask) {
  EncodeInput input;
  input.surface = cloud.view();
  input.key_mask = mask;
  Encoded encoded;
  encoded.rows.resize(input.surface.num_points() * encoder.model().config().output_width());
  encoded.result = encoder.encode(input, encoded.rows.data());
  return encoded;
}

inline Encoded encode_on_device(Encoder& encoder, const FloatCloud& cloud, const std::uint8_t* mask,
                                const EncodeControls& controls = {}) {
  const cuda::DeviceScope scope(0);
  const cuda::Stream stream(0);
  DeviceInput input;
  input.surface = cloud.view();
  input.stream = stream.handle();
  const std::size_t n = input.surface.num_points(), width = encoder.model().config().output_width();
  OnDevice points(input.surface.data, input.surface.size, stream.handle());
  OnDevice flags(mask, mask == nullptr ? 0 : n, stream.handle());
  const std::vector<float> unset(n * width, 7.0F);
  OnDevice rows(unset.data(), unset.size() * sizeof(float), stream.handle());
  input.surface.data = points.data();
  if (mask != nullptr) input.key_mask = reinterpret_cast<const std::uint8_t*>(flags.data());
  Encoded encoded;
  encoded.result = encoder.encode_on_device(input, reinterpret_cast<float*>(rows.data()), controls);
  encoded.rows = rows.bring<float>(stream.handle());
  return encoded;
}

}  // namespace pcl_attention::test
