// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "files/bytes.h"

namespace pcl_attention {

/// Returns the float32 with these bits.
inline float float_from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Returns the bfloat16 number as float32, exactly; NaN keeps its payload.
inline float from_bfloat16(std::uint16_t bits) {
  return float_from_bits(static_cast<std::uint32_t>(bits) << 16);
}

/// Returns the IEEE 754 binary16 number as float32, exactly; NaN keeps its payload.
inline float from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU, fraction = bits & 0x3FFU;
  if (exponent == 0x1F) return float_from_bits(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return float_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

}  // namespace pcl_attention
