// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace pcl_attention {

/// Runs `write` on a temporary path beside `path` and renames it to `path` when it succeeded, so that
/// the file appears under its final name whole or not at all. On failure the temporary file is removed.
/// `write` gets the temporary path, which ends in the same extension.
/// @throws FileError naming `path` and the system's reason; whatever `write` throws.
void write_whole_file(const std::string& path, const std::function<void(const std::string&)>& write);

/// Returns nothing if write_whole_file() could make its temporary file now; nothing is left behind.
/// @throws FileError as write_whole_file() does before it calls `write`.
void check_writable(const std::string& path);

/// write_whole_file() for a stream opened in binary mode; a failed stream is a FileError (disk full).
void write_whole_stream(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace pcl_attention
