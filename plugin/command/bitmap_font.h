// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pcl_attention::command {

constexpr std::size_t kLetterWidth = 6, kLetterHeight = 8;  ///< with the gap to the next letter

/// Returns true if pixel (x, y) of an ASCII letter is ink; other letters look like '?'.
bool is_ink(char letter, std::size_t x, std::size_t y);

}  // namespace pcl_attention::command
