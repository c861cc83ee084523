// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pcl_attention/cloud.h"

namespace pcl_attention {

/// Points, rows and bytes of a point that PCL can count.
constexpr std::size_t max_count = 2147483647;

/// Returns true if the word is a number of that type, whatever the locale: integers within the type's
/// range, 0 and 1 for boolean; for floats also nan, inf and numbers beyond the range. One leading + is
/// allowed.
bool is_number(std::string_view word, FieldType type);

/// Returns the integer, or nothing if the word is none or exceeds 64 bits.
std::optional<std::int64_t> to_integer(std::string_view word);

/// Returns the integer if it lies in [0, max_count], else nothing.
std::optional<std::size_t> to_count(std::string_view word);

/// Returns "int8", …, "float64".
const char* name_of(FieldType type);

}  // namespace pcl_attention
