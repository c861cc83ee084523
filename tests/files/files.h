// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <ostream>
#include <random>
#include <string>

#include "files/file_bytes.h"
#include "pcl_attention/error.h"
#include "support/data.h"

namespace pcl_attention::test {

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A file's bytes and a part of the message with which it is refused ("" if it is sound).
struct FileCase {
  const char* name;
  std::string bytes;
  std::string message = "";

  friend std::ostream& operator<<(std::ostream& stream, const FileCase& file) { return stream << file.name; }
};

/// Names the tests of a table after its cases.
inline std::string case_name(const testing::TestParamInfo<FileCase>& file) { return file.param.name; }

/// Returns the message of the FileError that `call` throws, or "" if it throws none.
template <class Call>
std::string file_error(const Call& call) {
  try {
    call();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

/// Returns the numbers as little-endian bytes.
template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
  std::string bytes;
  for (const T number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof(T));
  return bytes;
}

/// Returns a copy that is cut at a random place, or has up to four random bytes changed.
inline std::string damaged(std::string bytes, std::mt19937& generator) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(generator() % n); };
  if (below(4) == 0) return bytes.substr(0, below(bytes.size()));
  for (std::size_t i = 0, count = 1 + below(4); i < count; ++i)
    bytes[below(bytes.size())] = static_cast<char>(below(256));
  return bytes;
}

/// Calls read(path) on `count` damaged copies of the bytes and returns how many were refused. A
/// FileError is a refusal; anything else leaves the function.
template <class Read>
int count_refused(const std::string& path, const std::string& bytes, int count, const Read& read) {
  std::mt19937 generator(20240607);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    write_bytes(path, damaged(bytes, generator));
    if (!file_error([&] { read(path); }).empty()) ++refused;
  }
  return refused;
}

}  // namespace pcl_attention::test
