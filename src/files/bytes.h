// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>

namespace pcl_attention {

/// Returns the number stored at `bytes`, aligned or not, in the given byte order.
template <class T>
T load(const void* bytes, bool big_endian = false) {
  unsigned char raw[sizeof(T)];
  std::memcpy(raw, bytes, sizeof(T));
  if (big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) std::reverse(raw, raw + sizeof(T));
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

/// Writes the number to `bytes`, lowest byte first.
template <class T>
void store_little_endian(T value, void* bytes) {
  unsigned char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) std::reverse(raw, raw + sizeof(T));
  std::memcpy(bytes, raw, sizeof(T));
}

}  // namespace pcl_attention
