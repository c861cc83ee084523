// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Marks a symbol as part of the library's interface; all others are hidden.
#if defined(_WIN32)
#define PCL_ATTENTION_EXPORT
#else
#define PCL_ATTENTION_EXPORT __attribute__((visibility("default")))
#endif
